/** Answers that are given again to requests which ask the same: `docs/answer-cache.md`. */
import type { Hmac } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { hasExactInteger } from '../../base/json/json-body.js';
import { textLength } from '../../base/json/text-length.js';
import { CredentialUnreadable, type Vault } from '../../byok/vault/vault.js';
import type { Usage } from '../../formats/chat/types.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamAnswer } from '../ports/adapter.js';
import type { CachedAnswer, CachedAnswerStore } from '../ports/cached-answers.js';
import type { InferenceRequest } from '../ports/inference-request.js';
import { CACHED_FORMATS } from './cached-formats.js';
import { requestKey } from './request-key.js';

/** What is kept of an answer. */
export interface KeptAnswer {
  readonly answer: UpstreamAnswer;
  readonly usage: Usage;
  /** Members of the request that were sent otherwise than written, or not. */
  readonly adapted: readonly string[];
  /** As its record names it. */
  readonly omitted: readonly string[];
}

/** A request that was looked for. */
export type CacheLookup = FoundAnswer | MissedAnswer;

export interface FoundAnswer {
  readonly kind: 'hit';
  readonly key: string;
  readonly kept: KeptAnswer;
  /** The attempt that would be made again, of the plan. */
  readonly attempt: Attempt;
}

export interface MissedAnswer {
  readonly kind: 'miss';
  readonly key: string;
}

export interface InferenceCacheDependencies {
  readonly store: CachedAnswerStore;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  /** An HMAC with the account's key; undefined where that can't be had. */
  hash(accountId: string): Promise<Hmac | undefined>;
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Called for each admitted request that was looked for. */
  readonly lookedFor: (outcome: CacheLookup['kind']) => void;
  /** Called with the reason why an answer could not be read or kept. */
  readonly report: (error: unknown) => void;
}

/** Longer answers, as JSON, are not kept. */
export const MAX_ANSWER_CHARACTERS = 1024 * 1024;

export class InferenceCache {
  readonly #dependencies: InferenceCacheDependencies;

  constructor(dependencies: InferenceCacheDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Looks for an answer that one of the attempts gave, at an instant in Unix milliseconds; null where the request is not
   * cached, or its cache can't be reached now. Never rejects.
   */
  async lookUp(
    request: InferenceRequest,
    attempts: readonly Attempt[],
    at: number,
  ): Promise<CacheLookup | null> {
    const { cacheTtl, caller } = request;
    if (cacheTtl === null) return null;
    try {
      const hash = await this.#dependencies.hash(caller.accountId);
      if (hash === undefined) return null;
      const key = await requestKey(request, attempts, hash);
      return (await this.#find(key, caller.accountId, { attempts, at, cacheTtl })) ?? { kind: 'miss', key };
    } catch (thrown) {
      this.#dependencies.report(thrown);
      return null;
    }
  }

  async #find(
    key: string,
    accountId: string,
    { attempts, at, cacheTtl }: { attempts: readonly Attempt[]; at: number; cacheTtl: number },
  ): Promise<FoundAnswer | undefined> {
    const { store } = this.#dependencies;
    const found = await store.find(key);
    if (found === undefined || found.accountId !== accountId || at >= found.expiresAt) return undefined;
    // Also one of the future, where a clock was set back.
    if (Math.abs(at - found.createdAt) >= cacheTtl * 1000) return undefined;
    const text = this.#opened(found);
    if (text === undefined) return undefined;
    const { servedBy, answer, ...kept } = JSON.parse(text) as StoredAnswer;
    const attempt = attempts.find((one) => isSame(servedOf(one), servedBy));
    const unpacked = CACHED_FORMATS[answer.format]?.unpacked?.(answer) ?? answer;
    return attempt && { kind: 'hit', key, kept: { ...kept, answer: unpacked }, attempt };
  }

  /** undefined for one whose master key is gone, or that is damaged: it is kept anew. */
  #opened({ sealed, key: id, accountId }: CachedAnswer): string | undefined {
    try {
      return this.#dependencies.vault.open(sealed, { id, accountId });
    } catch (thrown) {
      if (!(thrown instanceof CredentialUnreadable)) throw thrown;
      this.#dependencies.report(thrown);
      return undefined;
    }
  }

  /** Counts a request that was admitted after it was looked for. */
  count({ kind }: CacheLookup): void {
    this.#dependencies.lookedFor(kind);
  }

  /** Notes that the answer was given. Never rejects. */
  async used({ key }: FoundAnswer): Promise<void> {
    const { store, clock, report } = this.#dependencies;
    await store.touch(key, clock.now()).catch(report);
  }

  /** Keeps an answer, if it may be given again. Never rejects. */
  async keep(
    { key }: MissedAnswer,
    { cacheTtl, caller, facts }: InferenceRequest,
    attempt: Attempt,
    kept: KeptAnswer,
  ): Promise<void> {
    const format = CACHED_FORMATS[kept.answer.format];
    if (cacheTtl === null || format?.isWhole(kept.answer, facts.choices) !== true) return;
    const answer = format.packed?.(kept.answer) ?? kept.answer;
    // Integers that JSON.stringify changes would be given again with other digits.
    if (textLength(answer) > MAX_ANSWER_CHARACTERS || hasExactInteger(answer)) return;
    const { store, vault, clock, maxBytes, report } = this.#dependencies;
    try {
      const text = JSON.stringify({ ...kept, answer, servedBy: servedOf(attempt) });
      if (text.length > MAX_ANSWER_CHARACTERS) return;
      const { accountId } = caller;
      const createdAt = clock.now();
      const sealed = vault.seal(text, { id: key, accountId });
      const expiresAt = createdAt + cacheTtl * 1000;
      await store.put({ key, accountId, sealed, createdAt, expiresAt }, maxBytes);
    } catch (thrown) {
      report(thrown);
    }
  }
}

interface StoredAnswer extends KeptAnswer {
  readonly servedBy: ServedBy;
}

/** What an answer came from: whoever can't ask that now is not given it. */
interface ServedBy {
  readonly endpoint: string;
  readonly upstreamModelId: string;
  readonly byokKeyId: string | null;
}

function servedOf({ endpoint, key }: Attempt): ServedBy {
  const { id, upstreamModelId } = endpoint;
  return { endpoint: id, upstreamModelId, byokKeyId: key?.id ?? null };
}

function isSame(one: ServedBy, other: ServedBy): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.upstreamModelId === other.upstreamModelId &&
    one.byokKeyId === other.byokKeyId
  );
}
