/** Amazon's request signatures, version 4, for the service `bedrock`. */
import { createHash, createHmac } from 'node:crypto';
import type { BedrockAccessKey } from '../../../byok/kinds/amazon-bedrock.js';

/** The signing name of `bedrock-runtime`. */
const SERVICE = 'bedrock';
const ALGORITHM = 'AWS4-HMAC-SHA256';

const NO_QUERY = '';

/** The request to sign: a POST without a query, its path already encoded. */
export interface SignedRequest {
  readonly url: URL;
  /** Names in lower case. All of them and `host` are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * The headers of the request with `x-amz-date`, `x-amz-content-sha256` and `authorization`. `now` in Unix
 * milliseconds; the provider accepts five minutes of skew.
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

/** The last item of the header `authorization`. */
const SIGNATURE = 'Signature=';

/** The signature in the headers of a signed request. It is a secret: it can be replayed until it expires. */
export function signatureIn({ authorization = '' }: Readonly<Record<string, string>>): string {
  return authorization.slice(authorization.lastIndexOf(SIGNATURE) + SIGNATURE.length);
}

/** Every service but S3 signs the path encoded once more than it is sent. */
function canonicalPath(path: string): string {
  return path.split('/').map(encodePathSegment).join('/');
}

/** Percent-encodes a path segment by Amazon's rules, which encode more than `encodeURIComponent`. */
export function encodePathSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The latest signing key of each credential, valid for one day in one region. */
const KEYS = new WeakMap<BedrockAccessKey, { readonly scope: string; readonly key: Buffer }>();

function signingKey(credential: BedrockAccessKey, day: string, region: string): Buffer {
  const scope = `${day}/${region}`;
  const known = KEYS.get(credential);
  if (known?.scope === scope) return known.key;
  const steps = [day, region, SERVICE, 'aws4_request'];
  const key = steps.reduce(hmac, Buffer.from(`AWS4${credential.secretAccessKey}`));
  KEYS.set(credential, { scope, key });
  return key;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
