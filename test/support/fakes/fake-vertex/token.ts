/**
 * The token service, which validates assertions: https://developers.google.com/identity/protocols/oauth2/service-account.
 * Times in the words of https://github.com/a-marenkov/gsheets/issues/96.
 */
import { verify } from 'node:crypto';
import { CLIENT_EMAIL, PRIVATE_KEY_ID, PUBLIC_KEY } from './account.js';
import type { FakeError } from './error.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Allowed clock skew in seconds. */
const TOLERANCE = 300;

/** The error for this form; undefined when a token is issued. `now` in Unix milliseconds, `audience` the token URI. */
export function tokenRefusal(form: string, audiences: readonly string[], now: number): FakeError | undefined {
  const fields = new URLSearchParams(form);
  if (fields.get('grant_type') !== GRANT_TYPE) return error('unsupported_grant_type', 'Invalid grant_type');
  const [head = '', claims = '', signature = ''] = (fields.get('assertion') ?? '').split('.');
  const { alg, typ, kid } = decoded(head);
  const { iss, scope, aud, iat, exp } = decoded(claims);
  if (alg !== 'RS256' || typ !== 'JWT') return invalid('Invalid JWT: Failed audience check.');
  if (iss !== CLIENT_EMAIL) return invalid('Invalid grant: account not found');
  if (kid !== PRIVATE_KEY_ID) return invalid('Invalid JWT: unknown key id (kid).');
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    PUBLIC_KEY,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return invalid('Invalid JWT Signature.');
  if (!audiences.includes(String(aud))) return invalid('Invalid JWT: Failed audience check.');
  const seconds = now / 1000;
  const isTimely = Number(iat) <= seconds + TOLERANCE && Number(exp) > seconds - TOLERANCE;
  if (!isTimely || Number(exp) - Number(iat) > 3600) {
    return invalid(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }
  return scope === SCOPE
    ? undefined
    : error('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
}

function decoded(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}

function invalid(description: string): FakeError {
  return error('invalid_grant', description);
}

function error(word: string, description: string): FakeError {
  return { status: 400, body: { error: word, error_description: description } };
}
