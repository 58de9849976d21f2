/**
 * Finds names of objects that belong to the owner of the credential: files, buckets, caches, containers, stored
 * prompts, indexes. They are recognised by the member's name, in any unknown object, and by their address. Sources:
 * `docs/credentials.md#shared-accounts`.
 */
import { plainName } from '../plain-name.js';
import type { Leaf } from './shape.js';

/** In lower case, without `_` and `-`. */
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
  // OpenAI, Azure, and hosts that copy them
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

/** Name endings that stand for such objects in any API. */
const ENDS =
  /(?:files?ids?|fileuris?|buckets?|bucketnames?|datastores?|corp(?:us|ora)|arns?|containerids?|vectorstoreids?|cachedcontents?|knowledge(?:base)?ids?|library?ids?)$/;

/** A stored prompt is an object with an id. A text under this name is a plain prompt. */
const STORED_PROMPT = 'prompt';

export function namesOwnersObject(name: string, value: unknown): boolean {
  const plain = plainName(name);
  if (plain === STORED_PROMPT) return typeof value === 'object';
  return NAMES.has(plain) || ENDS.test(plain);
}

/** Longer texts are data, not addresses. */
const MAX_ADDRESS_CHARACTERS = 8192;

/** Characters that browsers and servers ignore in URLs. */
const UNREAD = /[\t\n\r]/g;
const SCHEME = /^[\s\p{Cc}]*([a-z][a-z0-9+.-]{0,20}):/iu;

const OPEN_SCHEMES: ReadonlySet<string> = new Set(['data', 'http', 'https']);

/** Addresses that Google reads with the credential of the call. */
const OWNERS_URLS: readonly { readonly host: RegExp; readonly path: RegExp }[] = [
  { host: /(?:^|\.)generativelanguage\.googleapis\.com$/, path: /\/files\// },
  { host: /(?:^|\.)aiplatform\.googleapis\.com$/, path: /^/ },
  { host: /^storage\.cloud\.google\.com$/, path: /^/ },
];

/**
 * What to call an address that only the owner of a credential may read, such as `gs://`, if the text, in place of
 * media, is one; else undefined.
 */
export function ownersAddress(text: string): string | undefined {
  const start = text.slice(0, MAX_ADDRESS_CHARACTERS).replaceAll(UNREAD, '');
  const scheme = SCHEME.exec(start)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (!OPEN_SCHEMES.has(scheme)) return `${scheme}://`;
  if (scheme === 'data') return undefined;
  const url = URL.canParse(start.trim()) ? new URL(start.trim()) : undefined;
  if (url === undefined) return undefined;
  // A trailing dot names the same host, and any character of a path may be percent-encoded.
  const hostname = url.hostname.replace(/\.$/, '');
  const pathname = decoded(url.pathname);
  const isOwned = OWNERS_URLS.some(({ host, path }) => host.test(hostname) && path.test(pathname));
  return isOwned ? hostname : undefined;
}

const ENCODED = /%[\da-f]{2}/gi;

/** Decodes byte by byte, so that text that is not UTF-8 is decoded too. */
function decoded(path: string): string {
  return path.replaceAll(ENCODED, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)));
}

/**
 * Files of the account, which Qwen-Long reads if a message begins with their ids:
 * https://www.alibabacloud.com/help/en/model-studio/long-context-qwen-long (2026-11-25).
 */
const STORED_FILE = /^\s*fileid:\/\//i;

/** Whether the host replaces a message with files that it names. */
export function isStoredFile(words: string): boolean {
  return STORED_FILE.test(words);
}

/** What to call an owner's address in the place of media, or of text for the model; undefined if the text is none. */
export function ownersText(text: string, kind: Leaf): string | undefined {
  if (kind === 'words') return isStoredFile(text) ? 'fileid://' : undefined;
  return kind === 'address' ? ownersAddress(text) : undefined;
}

/** Addresses and names of resources at Google and Amazon, anywhere in a request. */
const RESOURCES: readonly (readonly [name: string, text: RegExp])[] = [
  ['gs://', /^[\s\p{Cc}]*gs:\/\//iu],
  ['s3://', /^[\s\p{Cc}]*s3:\/\//iu],
  ['arn:', /^arn:aws[a-z-]{0,20}:/i],
  ['projects/', /^(?:\/\/[a-z.]{1,60}\/)?projects\/[^/]{1,100}\/[a-z]+\//i],
];

/** As `ownersText`, for a text in an unknown place, which may be anything. */
export function ownersStorage(text: string): string | undefined {
  return RESOURCES.find(([, resource]) => resource.test(text))?.[0];
}
