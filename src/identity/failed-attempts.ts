/** How often an address may try credentials that nobody has: each costs a look-up in the database. */
import { LruMap } from '../base/lru-map.js';
import { Problem } from '../base/problem.js';

/** What refills the bucket of an address, and what it holds: a mistyped key in a busy client is no attack. */
const ATTEMPTS_PER_SECOND = 20;

/**
 * What attempts that were looked up at the same time may overdraw. It is paid back before the next one: their number on
 * average stays within the rate, however many come at once.
 */
const MAX_DEBT_SECONDS = 60;

/** Addresses remembered at once, a hundred bytes each. What has failed least recently is forgotten, and full again. */
const MAX_ADDRESSES = 10_000;

/** A token bucket for each address, in this process alone. Only what has failed takes from it. */
export class FailedAttempts {
  readonly #perSecond: number;
  readonly #buckets = new LruMap<string, Bucket>(MAX_ADDRESSES);

  constructor(perSecond = ATTEMPTS_PER_SECOND) {
    this.#perSecond = perSecond;
  }

  /** Throws a 429 Problem while too much has failed from the address. */
  check(address: string, nowMs: number): void {
    const bucket = this.#buckets.get(address);
    const left = bucket === undefined ? this.#perSecond : this.#leftAt(bucket, nowMs);
    if (left >= 1) return;
    throw new Problem('rate_limited', 'Too many failed authentications from this address', {
      retryAfterSeconds: Math.ceil((1 - left) / this.#perSecond),
    });
  }

  /** One more has failed. */
  count(address: string, nowMs: number): void {
    const bucket = this.#buckets.getOrMake(address, () => ({ left: this.#perSecond, atMs: nowMs }));
    bucket.left = Math.max(this.#leftAt(bucket, nowMs) - 1, -MAX_DEBT_SECONDS * this.#perSecond);
    bucket.atMs = nowMs;
  }

  /** A clock that was set back refills nothing, and counts on from where it stands. */
  #leftAt({ left, atMs }: Bucket, nowMs: number): number {
    const refilled = (Math.max(0, nowMs - atMs) / 1000) * this.#perSecond;
    return Math.min(this.#perSecond, left + refilled);
  }
}

/** What was left at an instant. */
interface Bucket {
  left: number;
  atMs: number;
}
