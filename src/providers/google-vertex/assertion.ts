import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';

/** Longest that Google lets an assertion be valid, and that the token for it lives. */
const LIFETIME_SECONDS = 3600;

const signOffThread = promisify(sign);

/** What an assertion asks for. */
export interface Claims {
  /** Space-separated scopes. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** A signed statement of a service account about itself, to be exchanged for a token (RFC 7523, RS256). */
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
