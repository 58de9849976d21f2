/** Access tokens of service accounts: minted once for all who wait for one, kept until shortly before their end. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/lru-map.js';
import type { Signal } from '../../base/signal.js';
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import { hideMembers } from '../../byok/redact.js';
import { Redactor } from '../../byok/redaction/redactor.js';
import type { Provider } from '../../catalog/types.js';
import { readText } from '../http/body.js';
import { connectionTimeout, malformed } from '../http/failures.js';
import type { Http, HttpAnswer } from '../http/http.js';
import { members, parseJson, textOf } from '../http/json.js';
import { redactThrown } from '../redaction/redact-thrown.js';
import { tokenAddress } from './address.js';
import { signAssertion } from './assertion.js';
import { redactWith } from './secrets.js';
import { tokenRefused } from './token-refusal.js';

/** May do all that the account's roles allow: predict, batch jobs, storage. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How long before its end a token is replaced, as the official clients do. */
const MARGIN_MS = 5 * 60 * 1000;

/** A mint serves all who wait, so none of their deadlines ends it. */
const MINT_TIMEOUT_MS = 30_000;

/** Accounts whose tokens are kept; the one not used for longest makes room. */
const MAX_ACCOUNTS = 10_000;

/** Real answers are far shorter. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A token, whose text nothing prints. */
export interface AccessToken {
  /** What stands behind `Bearer`. */
  readonly text: string;
  /** Unix milliseconds. */
  readonly usableUntil: number;
}

/** A token, and whether it had been minted for an earlier call. */
export interface Granted {
  readonly token: AccessToken;
  readonly wasKept: boolean;
}

/** What tokens are minted through. */
export interface AccessTokenDependencies {
  /** To where the operator says. */
  readonly http: Http;
  /** To where credentials say. */
  readonly guardedHttp: Http;
  readonly clock: Clock;
}

/** What is known of one account: its token, and the minting of its next. */
interface Account {
  token?: AccessToken;
  minting?: Promise<AccessToken>;
}

/** The tokens of all accounts, for every part that speaks to Google: chats, storage, batch jobs. */
export class AccessTokens {
  readonly #parts: AccessTokenDependencies;
  readonly #accounts = new LruMap<string, Account>(MAX_ACCOUNTS);
  readonly #keyIds = new WeakMap<KeyObject, string>();

  constructor(parts: AccessTokenDependencies) {
    this.#parts = parts;
  }

  /**
   * A token that is still good for a while. Throws `UpstreamFailure`: `auth` names the member of the credential that
   * is at fault; the signal's reason once it is aborted, which does not end the minting for others.
   */
  async grant(credential: VertexCredential, provider: Provider, signal: Signal): Promise<Granted> {
    const account = this.#accountOf(credential, provider);
    const { token } = account;
    if (token !== undefined && this.#parts.clock.now() < token.usableUntil) return { token, wasKept: true };
    account.minting ??= this.#mint(account, credential, provider);
    return { token: await orAborted(account.minting, signal), wasKept: false };
  }

  /** Finds the account's secrets in what Google says: its own, and the token that it has now. */
  redactor(credential: VertexCredential, provider: Provider): Redactor {
    const redactor = Redactor.of(credential);
    const { token } = this.#accountOf(credential, provider);
    return token === undefined ? redactor : redactor.addToken(token);
  }

  /** Forgets a token that was refused, unless another has taken its place meanwhile. */
  forget(credential: VertexCredential, provider: Provider, refused: AccessToken): void {
    const account = this.#accountOf(credential, provider);
    if (account.token === refused) delete account.token;
  }

  /** The key itself is part of whose token it is: everything else of an account can be guessed. */
  #accountOf(credential: VertexCredential, provider: Provider): Account {
    const { clientEmail, privateKeyId, privateKey } = credential;
    const { url } = tokenAddress(provider, credential);
    const parts = [clientEmail, privateKeyId, this.#keyIdOf(privateKey), credential.tokenUri, url.href];
    return this.#accounts.getOrMake(JSON.stringify(parts), () => ({}));
  }

  #keyIdOf(privateKey: KeyObject): string {
    const known = this.#keyIds.get(privateKey);
    if (known !== undefined) return known;
    const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
    const id = createHash('sha256').update(publicKey).digest('base64');
    this.#keyIds.set(privateKey, id);
    return id;
  }

  async #mint(account: Account, credential: VertexCredential, provider: Provider): Promise<AccessToken> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(connectionTimeout()), MINT_TIMEOUT_MS);
    try {
      const token = await exchange(this.#parts, credential, provider, controller.signal);
      account.token = token;
      return token;
    } finally {
      clearTimeout(timer);
      delete account.minting;
    }
  }
}

async function exchange(
  { http, guardedHttp, clock }: AccessTokenDependencies,
  credential: VertexCredential,
  provider: Provider,
  signal: AbortSignal,
): Promise<AccessToken> {
  const assertion = await signAssertion(credential, { scope: SCOPE, now: clock.now() });
  const { url, isOperators } = tokenAddress(provider, credential);
  try {
    const answer = await (isOperators ? http : guardedHttp).post({
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
      signal,
    });
    return await readToken(answer, credential, clock.now());
  } catch (thrown) {
    // An assertion that somebody sends back is as good as the token that it stands for.
    throw redactThrown(thrown, Redactor.of(credential).add(assertion));
  }
}

async function readToken(
  answer: HttpAnswer,
  credential: VertexCredential,
  now: number,
): Promise<AccessToken> {
  const { text } = await readText(answer.body, MAX_ANSWER_BYTES);
  if (answer.status !== 200) throw tokenRefused({ ...answer, text }, redactWith(credential), now);
  const { access_token, expires_in } = members(parseJson(text));
  const token = textOf(access_token);
  if (token === undefined) throw malformed();
  const lifetimeMs = typeof expires_in === 'number' ? expires_in * 1000 : 0;
  return hideMembers({ text: token, usableUntil: now + lifetimeMs - MARGIN_MS });
}

/** The promise's outcome, or the signal's reason when that comes first. */
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
