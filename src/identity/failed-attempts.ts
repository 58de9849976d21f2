/** Limits attempts with unknown credentials from an address, since each costs a look-up in the database. */
import { LruMap } from '../base/memory/lru-map.js';
import { Problem } from '../base/problem.js';

/** Refill rate and capacity of the bucket of an address: a mistyped key in a busy client is not an attack. */
const ATTEMPTS_PER_SECOND = 20;

/**
 * How far concurrent look-ups may overdraw a bucket. The debt is refilled before the next attempt, so that the average
 * stays within the rate, however many attempts come at once.
 */
const MAX_DEBT_SECONDS = 60;

/** A hundred bytes each. A bucket that is evicted, the least recently used, counts as full again. */
const MAX_ADDRESSES = 10_000;

/** A token bucket for each address, in this process only, from which failed attempts take. */
export class FailedAttempts {
  readonly #perSecond: number;
  readonly #buckets = new LruMap<string, Bucket>(MAX_ADDRESSES);

  constructor(perSecond = ATTEMPTS_PER_SECOND) {
    this.#perSecond = perSecond;
  }

  /** Throws a 429 Problem while the bucket of the address is empty. */
  check(address: string, nowMs: number): void {
    const bucket = this.#buckets.get(address);
    const left = bucket === undefined ? this.#perSecond : this.#leftAt(bucket, nowMs);
    if (left >= 1) return;
    throw new Problem('rate_limited', 'Too many failed authentications from this address', {
      retryAfterSeconds: Math.ceil((1 - left) / this.#perSecond),
    });
  }

  count(address: string, nowMs: number): void {
    const bucket = this.#buckets.getOrMake(address, () => ({ left: this.#perSecond, atMs: nowMs }));
    bucket.left = Math.max(this.#leftAt(bucket, nowMs) - 1, -MAX_DEBT_SECONDS * this.#perSecond);
    bucket.atMs = nowMs;
  }

  /** A clock that was set back refills nothing; counting continues from its new time. */
  #leftAt({ left, atMs }: Bucket, nowMs: number): number {
    const refilled = (Math.max(0, nowMs - atMs) / 1000) * this.#perSecond;
    return Math.min(this.#perSecond, left + refilled);
  }
}

interface Bucket {
  left: number;
  atMs: number;
}
