/**
 * Access tokens of service accounts. Concurrent callers share one request for a token, which is cached until shortly
 * before it expires.
 */
import { createHash, type KeyObject } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import { LruMap } from '../../../base/memory/lru-map.js';
import type { Signal } from '../../../base/signal.js';
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { hideMembers } from '../../../byok/redact.js';
import { Redactor } from '../../../byok/redaction/redactor.js';
import type { Provider } from '../../../catalog/types.js';
import { members, textOf } from '../../../formats/json.js';
import type { Tenancy } from '../../../inference/ports/adapter.js';
import { shortAnswerJson } from '../../common/answer-json.js';
import { connectionTimeout, malformed } from '../../common/failures.js';
import type { Http, HttpResponse } from '../../http/http.js';
import { readText } from '../../http/read-body.js';
import { redactThrown } from '../../redaction/redact-thrown.js';
import { signAssertion } from './assertion.js';
import { redactWith } from './secrets.js';
import { tokenFailure } from './token-error.js';
import { tokenUrl } from './url.js';

/** Allows everything that the account's roles allow. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How long before its expiry a token is replaced, as in the official clients. */
const MARGIN_MS = 5 * 60 * 1000;

/** Timeout of a token request. Callers share the request, so none of their deadlines ends it. */
const TOKEN_TIMEOUT_MS = 30_000;

/** Maximum of cached accounts. The least recently used one is dropped. */
const MAX_ACCOUNTS = 10_000;

/** Real responses are far shorter. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What a header accepts (RFC 6750, section 2.1, and all other visible characters). */
const SENDABLE = /^[\x21-\x7e]+$/;

/** A token. Its text is never printed. */
export interface AccessToken {
  /** Sent after `Bearer`. */
  readonly text: string;
  /** Unix milliseconds. */
  readonly usableUntil: number;
}

/** A token, and whether it comes from the cache. */
export interface Granted {
  readonly token: AccessToken;
  readonly wasCached: boolean;
}

export interface AccessTokenDependencies {
  /** For hosts that the operator names. */
  readonly http: Http;
  /** For hosts that credentials name. */
  readonly guardedHttp: Http;
  readonly clock: Clock;
}

/** The account that waits for a token. */
export interface Grantee {
  readonly signal: Signal;
  readonly tenancy: Tenancy;
}

/** The account of requests for shared capacity's tokens, which all accounts use. */
const OPERATOR = { accountId: '', isByok: false };

interface Account {
  token?: AccessToken;
  /** The request for the next token. */
  pending?: Promise<AccessToken>;
}

/** The tokens of all accounts, for chats, storage and batch jobs. */
export class AccessTokens {
  readonly #dependencies: AccessTokenDependencies;
  readonly #accounts = new LruMap<string, Account>(MAX_ACCOUNTS);
  readonly #keyIds = new WeakMap<KeyObject, string>();

  constructor(dependencies: AccessTokenDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * A token that does not expire soon. Throws `UpstreamFailure`; one of kind `auth` names the member of the credential
   * that is refused. Throws the signal's reason once it is aborted, which does not end the token request of others.
   */
  async grant(
    credential: VertexCredential,
    provider: Provider,
    { signal, tenancy }: Grantee,
  ): Promise<Granted> {
    const account = this.#accountOf(credential, provider);
    const { token } = account;
    if (token !== undefined && this.#dependencies.clock.now() < token.usableUntil) {
      return { token, wasCached: true };
    }
    account.pending ??= this.#renew(account, credential, provider, tenancy);
    return { token: await orAborted(account.pending, signal), wasCached: false };
  }

  /** A redactor for the account's secrets: those of its credential, and its current token. */
  redactor(credential: VertexCredential, provider: Provider): Redactor {
    const redactor = Redactor.of(credential);
    const { token } = this.#accountOf(credential, provider);
    return token === undefined ? redactor : redactor.addToken(token);
  }

  /** Drops a refused token from the cache, unless another one has replaced it. */
  forget(credential: VertexCredential, provider: Provider, refused: AccessToken): void {
    const account = this.#accountOf(credential, provider);
    if (account.token === refused) delete account.token;
  }

  /**
   * The cache key includes a digest of the whole private key. Everything else about an account is public, even the
   * modulus and the public exponent, which anybody can put into a private key of their own.
   */
  #accountOf(credential: VertexCredential, provider: Provider): Account {
    const { clientEmail, privateKeyId, privateKey } = credential;
    const { url } = tokenUrl(provider, credential);
    const cacheKey = [clientEmail, privateKeyId, this.#keyIdOf(privateKey), credential.tokenUri, url.href];
    return this.#accounts.getOrMake(JSON.stringify(cacheKey), () => ({}));
  }

  #keyIdOf(privateKey: KeyObject): string {
    const known = this.#keyIds.get(privateKey);
    if (known !== undefined) return known;
    const id = createHash('sha256')
      .update(privateKey.export({ type: 'pkcs8', format: 'der' }))
      .digest('base64');
    this.#keyIds.set(privateKey, id);
    return id;
  }

  async #renew(
    account: Account,
    credential: VertexCredential,
    provider: Provider,
    tenancy: Tenancy,
  ): Promise<AccessToken> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(connectionTimeout()), TOKEN_TIMEOUT_MS);
    try {
      const token = await requestToken(this.#dependencies, credential, provider, {
        signal: controller.signal,
        tenancy: { ...(tenancy.isByok ? tenancy : OPERATOR), mayWait: true },
      });
      account.token = token;
      return token;
    } finally {
      clearTimeout(timer);
      delete account.pending;
    }
  }
}

async function requestToken(
  { http, guardedHttp, clock }: AccessTokenDependencies,
  credential: VertexCredential,
  provider: Provider,
  { signal, tenancy }: Grantee,
): Promise<AccessToken> {
  const assertion = await signAssertion(credential, { scope: SCOPE, now: clock.now() });
  const { url, isOperators } = tokenUrl(provider, credential);
  try {
    const answer = await (isOperators ? http : guardedHttp).post({
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
      signal,
      tenancy,
    });
    return await readToken(answer, credential, clock.now());
  } catch (thrown) {
    // The assertion is as secret as the token that it is exchanged for.
    throw redactThrown(thrown, Redactor.of(credential).add(assertion));
  }
}

async function readToken(
  answer: HttpResponse,
  credential: VertexCredential,
  now: number,
): Promise<AccessToken> {
  const { text } = await readText(answer.body, MAX_ANSWER_BYTES);
  if (answer.status !== 200) throw tokenFailure({ ...answer, text }, redactWith(credential), now);
  const { access_token, expires_in } = members(shortAnswerJson(text));
  const token = textOf(access_token);
  if (token === undefined || !SENDABLE.test(token)) throw malformed();
  const lifetimeMs = typeof expires_in === 'number' ? expires_in * 1000 : 0;
  return hideMembers({ text: token, usableUntil: now + lifetimeMs - MARGIN_MS });
}

/** The promise's outcome, or the signal's reason if that comes first. */
async function orAborted<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
