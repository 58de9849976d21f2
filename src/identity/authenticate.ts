import { Problem } from '../base/problem.js';
import { CredentialCache } from './credential-cache.js';
import { FailedAttempts } from './failed-attempts.js';
import type { Anonymous, Principal } from './principal.js';
import { type ParsedSecret, parseSecret, type SecretKind } from './secret.js';

/** A secret's record as authentication needs it. */
export interface Credential {
  readonly principal: Exclude<Principal, Anonymous>;
  readonly disabled: boolean;
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
}

/** Where credentials are looked up. */
export interface CredentialStore {
  /** One look-up whatever the kind; undefined for what is unknown, deleted or revoked alike. */
  findCredential(kind: SecretKind, hash: string): Promise<Credential | undefined>;
  /** Calls the listener whenever any credential may have changed, here or in another process. */
  onCredentialChange(listener: () => void): void;
}

/** Tells who sent a request. */
export interface Authenticator {
  /**
   * The principal behind an `Authorization` header at the instant `nowMs`; anonymous without a header. Throws a
   * 401 Problem with one of the fixed texts for whatever else the header holds (spec section 5, interface section 3).
   *
   * `addressOf` tells where the request comes from. An address from which too many credentials came that nobody has is
   * refused with 429 whatever it sends, without a look-up, but for credentials that this process has found before:
   * those are served as ever, also behind an address that is shared with an attacker.
   */
  authenticate(
    authorizationHeader: string | undefined,
    nowMs: number,
    addressOf?: () => string,
  ): Promise<Principal>;
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' };
const BEARER = /^Bearer +([^ ]+) *$/i;

/** Longer than any header with a secret of ours; what is longer is not looked at. */
const MAX_HEADER = 256;

/** An authenticator that remembers credentials until one of them changes; `failed` counts those that nobody has. */
export function createAuthenticator(store: CredentialStore, failed = new FailedAttempts()): Authenticator {
  const cache = new CredentialCache();
  store.onCredentialChange(() => cache.clear());
  const lookUp = ({ kind, hash }: ParsedSecret) => cache.get(hash, () => store.findCredential(kind, hash));
  return {
    async authenticate(authorizationHeader, nowMs, addressOf) {
      if (authorizationHeader === undefined) return ANONYMOUS;
      const secret = parseSecret(bearerToken(authorizationHeader));
      if (secret !== undefined && cache.isKnown(secret.hash)) return admit(await lookUp(secret), nowMs);
      const address = addressOf?.();
      if (address !== undefined) failed.check(address, nowMs);
      const credential = secret === undefined ? undefined : await lookUp(secret);
      if (credential === undefined && address !== undefined) failed.count(address, nowMs);
      return admit(credential, nowMs);
    },
  };
}

/** The 401 for a request that needs a credential and carries none. */
export function missingAuthentication(): Problem {
  return new Problem('missing_authentication', 'Missing Authentication header');
}

function bearerToken(header: string): string {
  return header.length > MAX_HEADER ? '' : (BEARER.exec(header)?.[1] ?? '');
}

function admit(credential: Credential | undefined, nowMs: number): Principal {
  if (credential === undefined) throw invalidApiKey();
  if (credential.disabled) throw new Problem('api_key_disabled', 'API key is disabled');
  if (credential.expiresAt !== null && credential.expiresAt <= nowMs) {
    throw new Problem('api_key_expired', 'API key has expired');
  }
  return credential.principal;
}

function invalidApiKey(): Problem {
  return new Problem('invalid_api_key', 'Invalid API key');
}
