/** The fastest that each endpoint has produced tokens lately, by which unseen tokens of answers that are cut are bounded. */
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/memory/lru-map.js';
import { type AccountCandidate, candidateName } from './account-candidate.js';

/** A complete answer, on shared capacity by any account. */
export interface MeasuredRate extends Omit<AccountCandidate, 'accountId'> {
  /** From the start of the attempt to its end, in milliseconds: reasoning is produced before the first content. */
  readonly totalMs: number;
  readonly completionTokens: number;
}

/** Where nothing is measured: faster than most hosts, slower than those with hardware of their own for it. */
export const UNMEASURED_TOKENS_PER_SECOND = 250;

/** Shorter answers say more of the network than of the model. */
const MIN_TOKENS = 64;

/** A rate counts for one to two of these. */
const PERIOD_MS = 3_600_000;

/** More than the endpoints and keys that are in use at the same time. */
const MAX_CANDIDATES = 10_000;

interface Fastest {
  readonly period: number;
  /** Tokens per second in this period, and in the one before. */
  now: number;
  readonly before: number;
}

export class FastestRates {
  readonly #clock: Clock;
  readonly #fastest = new LruMap<string, Fastest>(MAX_CANDIDATES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record(measured: MeasuredRate): void {
    const { totalMs, completionTokens } = measured;
    if (completionTokens < MIN_TOKENS) return;
    const name = candidateName(measured);
    const fastest = this.#current(name);
    fastest.now = Math.max(fastest.now, (1000 * completionTokens) / Math.max(1, totalMs));
    this.#fastest.set(name, fastest);
  }

  /** In tokens per second. */
  of(candidate: Omit<AccountCandidate, 'accountId'>): number {
    const { now, before } = this.#current(candidateName(candidate));
    return Math.max(now, before) || UNMEASURED_TOKENS_PER_SECOND;
  }

  #current(name: string): Fastest {
    const period = Math.floor(this.#clock.now() / PERIOD_MS);
    const known = this.#fastest.get(name);
    if (known?.period === period) return known;
    return { period, now: 0, before: known?.period === period - 1 ? known.now : 0 };
  }
}
