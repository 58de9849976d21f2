/** A token bucket of administrative calls for each principal, see `docs/credentials.md#throttling`. */
import { LruMap } from '../base/memory/lru-map.js';
import type { Anonymous, Principal } from './principal.js';

export interface RateDecision {
  readonly isAllowed: boolean;
  /** Calls in a full bucket. */
  readonly limit: number;
  /** Whole calls left in the bucket. */
  readonly remaining: number;
  /** When the bucket will be full again without further calls, in Unix milliseconds. */
  readonly resetAtMs: number;
  /** Until the next call is allowed; 0 when this one is. */
  readonly retryAfterMs: number;
}

/** A call that is not allowed costs nothing. */
export interface RateLimiter {
  take(key: string, nowMs: number): Promise<RateDecision>;
}

/** Some hundred bytes each. A bucket that is evicted, the least recently used, counts as full again. */
const MAX_BUCKETS = 10_000;

/**
 * A limiter for this process only: a burst of `perMinute` (1 or more) calls, refilled evenly at `perMinute` a minute.
 */
export function createRateLimiter(perMinute: number): RateLimiter {
  const buckets = new LruMap<string, Bucket>(MAX_BUCKETS);
  return {
    async take(key, nowMs) {
      return take(
        buckets.getOrMake(key, () => ({ units: perMinute * UNITS_PER_CALL, atMs: nowMs })),
        perMinute,
        nowMs,
      );
    },
  };
}

/** The bucket of a principal. */
export function rateKeyOf(principal: Exclude<Principal, Anonymous>): string {
  switch (principal.kind) {
    case 'api_key':
      return `api_key:${principal.keyHash}`;
    case 'management_key':
      return `management_key:${principal.hash}`;
    case 'client':
      return `client:${principal.clientId}`;
    case 'operator_key':
      return `operator_key:${principal.hash}`;
  }
}

interface Bucket {
  units: number;
  atMs: number;
}

/** A call takes this many units. A millisecond refills `perMinute` of them, so that all values are integers. */
export const UNITS_PER_CALL = 60_000;

/** `units`: what is left in the bucket after the call. */
export function decisionOf(
  units: number,
  isAllowed: boolean,
  perMinute: number,
  nowMs: number,
): RateDecision {
  return {
    isAllowed,
    limit: perMinute,
    remaining: Math.floor(units / UNITS_PER_CALL),
    resetAtMs: nowMs + Math.ceil((perMinute * UNITS_PER_CALL - units) / perMinute),
    retryAfterMs: isAllowed ? 0 : Math.ceil((UNITS_PER_CALL - units) / perMinute),
  };
}

function take(bucket: Bucket, perMinute: number, nowMs: number): RateDecision {
  const full = perMinute * UNITS_PER_CALL;
  // A clock that was set back refills nothing; counting continues from its new time.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  const refilled = Math.min(full, bucket.units + elapsedMs * perMinute);
  const isAllowed = refilled >= UNITS_PER_CALL;
  bucket.units = isAllowed ? refilled - UNITS_PER_CALL : refilled;
  bucket.atMs = nowMs;
  return decisionOf(bucket.units, isAllowed, perMinute, nowMs);
}
