/** Amazon's request signatures, version 4, for the service `bedrock`. */
import { createHash, createHmac } from 'node:crypto';
import type { BedrockAccessKey } from '../../byok/kinds/amazon-bedrock.js';

/** What `bedrock-runtime` is called where it is signed for. */
const SERVICE = 'bedrock';
const ALGORITHM = 'AWS4-HMAC-SHA256';

const NO_QUERY = '';

/** What is signed: a POST request as it goes out, its path already encoded, without a query. */
export interface SignedRequest {
  readonly url: URL;
  /** Names in lower case. All of them are signed, and `host` with them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * The headers of the request with those that make it a signed one: `x-amz-date`, `x-amz-content-sha256` and
 * `authorization`. `now` in Unix milliseconds; the provider takes it within five minutes of its own.
 */
export function sign(
  { url, headers, body }: SignedRequest,
  credential: BedrockAccessKey,
  region: string,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256(body);
  const added = { 'x-amz-date': time, 'x-amz-content-sha256': bodyHash };
  const signed = Object.entries({ ...headers, ...added, host: url.host }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    'POST',
    canonicalPath(url.pathname),
    NO_QUERY,
    ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${SERVICE}/aws4_request`;
  const key = signingKey(credential, day, region);
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `${ALGORITHM} Credential=${credential.accessKeyId}/${scope}, SignedHeaders=${names}, ${SIGNATURE}${signature}`;
  return { ...headers, ...added, authorization };
}

/** What comes last in the header `authorization`. */
const SIGNATURE = 'Signature=';

/** The signature of a request that was signed, from its headers: until it is too old, it stands for the credential. */
export function signatureIn({ authorization = '' }: Readonly<Record<string, string>>): string {
  return authorization.slice(authorization.lastIndexOf(SIGNATURE) + SIGNATURE.length);
}

/** Every service but S3 signs the path encoded once more than it is sent. */
function canonicalPath(path: string): string {
  return path.split('/').map(encodePathSegment).join('/');
}

/** Percent-encodes a segment of a path as Amazon counts it, which is more than `encodeURIComponent` does. */
export function encodePathSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The latest key of each credential, which holds for one day in one region; it goes when the credential does. */
const KEYS = new WeakMap<BedrockAccessKey, { readonly scope: string; readonly key: Buffer }>();

function signingKey(credential: BedrockAccessKey, day: string, region: string): Buffer {
  const scope = `${day}/${region}`;
  const known = KEYS.get(credential);
  if (known?.scope === scope) return known.key;
  const parts = [day, region, SERVICE, 'aws4_request'];
  const key = parts.reduce(hmac, Buffer.from(`AWS4${credential.secretAccessKey}`));
  KEYS.set(credential, { scope, key });
  return key;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
