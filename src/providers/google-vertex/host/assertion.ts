import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';

/** Google's maximum for an assertion and for the token that it is exchanged for. */
const LIFETIME_SECONDS = 3600;

const signOffThread = promisify(sign);

export interface Claims {
  /** Space-separated scopes. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The JWT of a service account that is exchanged for an access token (RFC 7523, RS256). */
export async function signAssertion(
  { clientEmail, privateKeyId, privateKey, tokenUri }: VertexCredential,
  { scope, now }: Claims,
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const head = encode({ alg: 'RS256', typ: 'JWT', kid: privateKeyId });
  const claims = encode({
    iss: clientEmail,
    scope,
    aud: tokenUri,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
  });
  const signature = await signOffThread('RSA-SHA256', Buffer.from(`${head}.${claims}`), privateKey);
  return `${head}.${claims}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
