/**
 * What names an object of whoever owns the credential: files, buckets, caches, containers, stored prompts, indexes. Found by
 * the member's name, in whatever unknown object it stands, and by the address. Sources: `docs/credentials.md#shared-accounts`.
 */

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

/** In small letters, without what spellings differ in. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
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
  const owned = OWNERS_URLS.find(({ host, path }) => {
    return url !== undefined && host.test(url.hostname) && path.test(url.pathname);
  });
  return owned === undefined ? undefined : url?.hostname;
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
