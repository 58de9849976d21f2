/** How many administrative calls a principal may make (interface section 3): a token bucket for each of them. */
import { LruMap } from '../base/lru-map.js';
import type { Anonymous, Principal } from './principal.js';

/** The answer to one call that wanted to be made, and what is left. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Calls in the full bucket. */
  readonly limit: number;
  /** Whole calls that could follow at once. */
  readonly remaining: number;
  /** Unix milliseconds at which the bucket is full again when nobody calls. */
  readonly resetAtMs: number;
  /** Until the next call could be made; 0 when this one is allowed. */
  readonly retryAfterMs: number;
}

/** Counts calls. One that is not allowed costs nothing. */
export interface RateLimiter {
  take(key: string, nowMs: number): Promise<RateDecision>;
}

/** Buckets kept at once, some hundred bytes each. What is not used for longest is forgotten, and full again. */
const MAX_BUCKETS = 10_000;

/** A limiter for this process alone: `perMinute` (1 or more) calls at once, refilled evenly at `perMinute` a minute. */
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

/** What the principal's calls are counted under. */
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

/** What was left at an instant. */
interface Bucket {
  units: number;
  atMs: number;
}

/** A call is so many parts that a millisecond refills `perMinute` of them: everything stays an integer. */
export const UNITS_PER_CALL = 60_000;

/** What to say of a bucket in which so many parts are left after the call. */
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
  // A clock that was set back refills nothing, and counts on from where it stands.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  const refilled = Math.min(full, bucket.units + elapsedMs * perMinute);
  const isAllowed = refilled >= UNITS_PER_CALL;
  bucket.units = isAllowed ? refilled - UNITS_PER_CALL : refilled;
  bucket.atMs = nowMs;
  return decisionOf(bucket.units, isAllowed, perMinute, nowMs);
}
