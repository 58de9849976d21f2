/**
 * What names an object of whoever owns the credential: files, buckets, caches, containers, stored prompts, indexes. Found by
 * the member's name, in whatever unknown object it stands, and by the address. Sources: `docs/credentials.md#shared-accounts`.
 */
import { plainName } from '../plain-name.js';
import type { Leaf } from './shape.js';

/** In small letters, without `_` and `-`. */
const NAMES: ReadonlySet<string> = new Set([
  // Google
  'cachedcontent',
  'cachedcontents',
  'datastore',
  'datastores',
  'datastorespecs',
  'engine',
  'fileuri',
  'filedata',
  'labels',
  'modelarmorconfig',
  'ragcorpus',
  'ragcorpora',
  'ragresources',
  'retrieval',
  'servingconfig',
  'vertexaisearch',
  'vertexragstore',
  // Amazon
  'agentid',
  'bucketowner',
  'guardrailconfig',
  'guardrailidentifier',
  'knowledgebaseid',
  'promptarn',
  'promptidentifier',
  'promptvariables',
  'requestmetadata',
  's3location',
  's3uri',
  // Anthropic
  'container',
  'containerid',
  'environmentid',
  'fallbackcredittoken',
  'memorystoreid',
  'skillid',
  'skills',
  'thread',
  'userprofileid',
  'vaultids',
  'workspaceid',
  // OpenAI, Azure and hosts that copy them
  'agent',
  'assistantid',
  'collectionids',
  'connectorid',
  'conversation',
  'conversationid',
  'datasources',
  'documentids',
  'documentlibrary',
  'fileid',
  'fileids',
  'filesearch',
  'libraryids',
  'previousresponseid',
  'promptid',
  'threadid',
  'vectorstoreid',
  'vectorstoreids',
  'vectorstores',
]);

/** How names end that are about such objects in any API. */
const ENDS =
  /(?:files?ids?|fileuris?|buckets?|bucketnames?|datastores?|corp(?:us|ora)|arns?|containerids?|vectorstoreids?|cachedcontents?|knowledge(?:base)?ids?|library?ids?)$/;

/** A stored prompt is an object with an id; a text of this name is one to the host. */
const STORED_PROMPT = 'prompt';

export function namesOwnersObject(name: string, value: unknown): boolean {
  const plain = plainName(name);
  if (plain === STORED_PROMPT) return typeof value === 'object';
  return NAMES.has(plain) || ENDS.test(plain);
}

/** Longer addresses are data. */
const MAX_ADDRESS_CHARACTERS = 8192;

/** Browsers and servers read over these. */
const UNREAD = /[\t\n\r]/g;
const SCHEME = /^[\s\p{Cc}]*([a-z][a-z0-9+.-]{0,20}):/iu;

const OPEN_SCHEMES: ReadonlySet<string> = new Set(['data', 'http', 'https']);

/** Addresses that Google reads with the credential of the call. */
const OWNERS_URLS: readonly { readonly host: RegExp; readonly path: RegExp }[] = [
  { host: /(?:^|\.)generativelanguage\.googleapis\.com$/, path: /\/files\// },
  { host: /(?:^|\.)aiplatform\.googleapis\.com$/, path: /^/ },
  { host: /^storage\.cloud\.google\.com$/, path: /^/ },
];

/** What a text in the place of media is called that only the owner of a credential may read, such as `gs://`; else undefined. */
export function ownersAddress(text: string): string | undefined {
  const start = text.slice(0, MAX_ADDRESS_CHARACTERS).replaceAll(UNREAD, '');
  const scheme = SCHEME.exec(start)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (!OPEN_SCHEMES.has(scheme)) return `${scheme}://`;
  if (scheme === 'data') return undefined;
  const url = URL.canParse(start.trim()) ? new URL(start.trim()) : undefined;
  if (url === undefined) return undefined;
  // A final dot names the same host, and any character of a path may be encoded.
  const hostname = url.hostname.replace(/\.$/, '');
  const pathname = decoded(url.pathname);
  const isOwned = OWNERS_URLS.some(({ host, path }) => host.test(hostname) && path.test(pathname));
  return isOwned ? hostname : undefined;
}

const ENCODED = /%[\da-f]{2}/gi;

/** Also of what is no UTF-8, byte by byte. */
function decoded(path: string): string {
  return path.replaceAll(ENCODED, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)));
}

/**
 * Files of the account that Qwen-Long reads for a message which begins with their ids:
 * https://www.alibabacloud.com/help/en/model-studio/long-context-qwen-long (2026-11-25).
 */
const STORED_FILE = /^\s*fileid:\/\//i;

/** Whether a message is an address of files which the host puts in its place. */
export function isStoredFile(words: string): boolean {
  return STORED_FILE.test(words);
}

/** What a text that stands in the place of media, or of words for the model, is called where it is an owner's; else undefined. */
export function ownersText(text: string, kind: Leaf): string | undefined {
  if (kind === 'words') return isStoredFile(text) ? 'fileid://' : undefined;
  return kind === 'address' ? ownersAddress(text) : undefined;
}

/** Addresses and names of resources at Google and Amazon, wherever they stand. */
const RESOURCES: readonly (readonly [name: string, text: RegExp])[] = [
  ['gs://', /^[\s\p{Cc}]*gs:\/\//iu],
  ['s3://', /^[\s\p{Cc}]*s3:\/\//iu],
  ['arn:', /^arn:aws[a-z-]{0,20}:/i],
  ['projects/', /^(?:\/\/[a-z.]{1,60}\/)?projects\/[^/]{1,100}\/[a-z]+\//i],
];

/** The same for a text in an unknown place, which may be anything. */
export function ownersStorage(text: string): string | undefined {
  return RESOURCES.find(([, resource]) => resource.test(text))?.[0];
}
