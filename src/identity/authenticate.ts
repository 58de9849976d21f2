/** Authenticates callers by their headers, and caches the credentials that it looks up. */
import { BoundedCache, type CacheBounds, type CacheReport } from '../base/memory/bounded-cache.js';
import { Problem } from '../base/problem.js';
import { FailedAttempts } from './failed-attempts.js';
import type { Anonymous, Principal } from './principal.js';
import { type ParsedSecret, parseSecret, type SecretKind } from './secret.js';

/** The record of a secret, as far as authentication needs it. */
export interface SecretRecord {
  readonly principal: Exclude<Principal, Anonymous>;
  readonly disabled: boolean;
  /** Whether the account is. */
  readonly isClosed: boolean;
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
}

export interface CredentialStore {
  /** One look-up for any kind; undefined for unknown, deleted and revoked secrets. */
  findCredential(kind: SecretKind, hash: string): Promise<SecretRecord | undefined>;
  /** Calls the listener whenever a credential may have changed, in this or another process. */
  onCredentialChange(listener: () => void): void;
}

export interface Authenticator {
  /**
   * The principal of an `Authorization` header at the instant `nowMs`; anonymous without a header. Throws a 401 Problem
   * with one of the fixed messages for any other content of the header.
   *
   * `addressOf` returns the address of the client. After too many unknown credentials from an address, its requests are
   * refused with 429 without a look-up. Credentials that this process has found before are still accepted, also behind
   * an address that is shared with an attacker. See `docs/credentials.md#throttling`.
   */
  authenticate(
    authorizationHeader: string | undefined,
    nowMs: number,
    addressOf?: () => string,
  ): Promise<Principal>;
  /** As `authenticate`, by what is in memory; undefined where the credential has to be looked up. */
  authenticateFromMemory(authorizationHeader: string | undefined, nowMs: number): Principal | undefined;
}

export interface CachingAuthenticator extends Authenticator {
  cacheReports(): readonly CacheReport[];
}

const ANONYMOUS: Anonymous = { kind: 'anonymous' };

/** Caches credentials until one of them changes; `failed` counts unknown ones. */
export function createAuthenticator(
  store: CredentialStore,
  failed = new FailedAttempts(),
): CachingAuthenticator {
  const cache = new CallerCache();
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
    authenticateFromMemory(authorizationHeader, nowMs) {
      if (authorizationHeader === undefined) return ANONYMOUS;
      const secret = parseSecret(bearerToken(authorizationHeader));
      const credential = secret && cache.loaded(secret.hash);
      return credential && admit(credential, nowMs);
    },
    cacheReports: () => cache.reports,
  };
}

/**
 * The `Authorization` header with the credential of a request, which may be in `x-api-key` instead; undefined without
 * either, and for the schemes of a proxy's own authentication. Throws a 401 Problem where both are sent and differ.
 */
export function authorizationOf({
  authorization: sent,
  'x-api-key': apiKey,
}: Readonly<Record<string, string | string[] | undefined>> & {
  readonly authorization?: string | undefined;
}): string | undefined {
  const authorization = sent !== undefined && OF_PROXIES.test(sent) ? undefined : sent;
  if (apiKey === undefined) return authorization;
  if (authorization !== undefined && bearerToken(authorization) !== apiKey) {
    throw new Problem('conflicting_credentials', 'Two different credentials were sent');
  }
  return `Bearer ${apiKey}`;
}

/**
 * Schemes by which proxies authenticate people, and whose headers they pass on: RFC 7617, RFC 7616, RFC 4559. No
 * credential of ours is sent so.
 */
const OF_PROXIES = /^(?:basic|digest|negotiate)(?: |$)/i;

/** The 401 for a request that needs a credential and carries none. */
export function missingAuthentication(): Problem {
  return new Problem('missing_authentication', 'Missing Authentication header');
}

const BEARER = /^Bearer +([^ ]+) *$/i;

/** Longer than any valid header; a longer one is not parsed. */
const MAX_HEADER = 256;

function bearerToken(header: string): string {
  return header.length > MAX_HEADER ? '' : (BEARER.exec(header)?.[1] ?? '');
}

function admit(credential: SecretRecord | undefined, nowMs: number): Principal {
  if (credential === undefined) throw invalidApiKey();
  const refused = refusedState(credential, nowMs);
  if (refused !== undefined) throw refused;
  return credential.principal;
}

/** The 401 for a credential that is disabled, has expired, or is of a closed account; undefined for one that may be used. */
export function refusedState(
  {
    disabled,
    isClosed = false,
    expiresAt,
  }: Pick<SecretRecord, 'disabled' | 'expiresAt'> & Partial<SecretRecord>,
  nowMs: number,
): Problem | undefined {
  if (isClosed) {
    return new Problem('account_closed', 'The account is closed: the operator of this gateway can reopen it');
  }
  if (disabled) return new Problem('api_key_disabled', 'API key is disabled');
  if (expiresAt !== null && expiresAt <= nowMs) return new Problem('api_key_expired', 'API key has expired');
  return undefined;
}

/** Until when an API key may be used, in Unix milliseconds; Infinity = for ever, a time in the past = not now. */
export async function usableUntil(
  store: Pick<CredentialStore, 'findCredential'>,
  apiKeyHash: string,
  nowMs: number,
): Promise<number> {
  const credential = await store.findCredential('api_key', apiKeyHash);
  if (credential === undefined || refusedState(credential, nowMs) !== undefined) return nowMs;
  return credential.expiresAt ?? Infinity;
}

function invalidApiKey(): Problem {
  return new Problem('invalid_api_key', 'Invalid API key');
}

/** Some 30,000 credentials that are in use at the same time, and the hashes of those found before. */
const CREDENTIALS: CacheBounds = { name: 'credentials', maxBytes: 64 * 2 ** 20, entryBytes: 1_024 };
const FOUND: CacheBounds = { name: 'found_credentials', maxBytes: 16 * 2 ** 20, entryBytes: 256 };

type Loaded = Promise<SecretRecord | undefined>;

interface CachedCredential {
  readonly loading: Loaded;
  /** Once it is loaded. */
  credential?: SecretRecord;
}

/**
 * The most recently used credentials by hash. Misses are not cached, since the credential may be created at any time.
 */
class CallerCache {
  #credentials = new BoundedCache<string, CachedCredential>(CREDENTIALS);
  /** Hashes that were found before, kept when the credentials are cleared. */
  readonly #found = new BoundedCache<string, true>(FOUND);

  /** Whether the hash is cached, being loaded, or was found when it was last loaded. */
  isKnown(hash: string): boolean {
    return this.#credentials.get(hash) !== undefined || this.#found.get(hash) !== undefined;
  }

  /** The cached credential; undefined also while it is being loaded. */
  loaded(hash: string): SecretRecord | undefined {
    return this.#credentials.get(hash)?.credential;
  }

  /** The cached credential, or the result of `load`, which concurrent callers share. */
  get(hash: string, load: () => Loaded): Loaded {
    const credentials = this.#credentials;
    const { loading } = credentials.getOrMake(hash, () => {
      const cached: CachedCredential = { loading: load() };
      const forget = () => credentials.delete(hash);
      const note = (loaded: SecretRecord | undefined) => {
        if (loaded !== undefined) {
          cached.credential = loaded;
          this.#found.set(hash, true);
        } else {
          this.#found.delete(hash);
          forget();
        }
      };
      cached.loading.then(note, forget);
      return cached;
    });
    return loading;
  }

  /** Also drops loads in progress, which may return outdated credentials. */
  clear(): void {
    this.#credentials = new BoundedCache(CREDENTIALS);
  }

  get reports(): readonly CacheReport[] {
    return [this.#credentials.report, this.#found.report];
  }
}
