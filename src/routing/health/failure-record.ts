/** What the circuit breaker remembers about a candidate whose last attempt failed, and how failures change it. */
import type { EndpointHealth } from '../types.js';

/** Consecutive failures after which a candidate cools. */
export const FAILURES_TO_COOL = 3;
/** Each further cooling without a success in between lasts twice as long as the one before. */
export const FIRST_COOLING_MS = 5_000;
/** Limits how long a candidate that has recovered is still tried last. */
export const MAX_COOLING_MS = 30_000;
/** How long an endpoint that can't answer is tried last. Its operator may fix it meanwhile. */
export const UNSUPPORTED_COOLING_MS = 10 * 60_000;
/** A longer `Retry-After` is cut to this. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: 'success' }
  /** Refused because of the request itself, so it says nothing about the candidate. */
  | { readonly kind: 'invalid_request' }
  | Failure;

/** An outcome that counts against the candidate. */
export type Failure =
  /** Refused because the endpoint can't answer any such request: it does not have the model or the format. */
  | { readonly kind: 'unsupported' }
  /** Anything else: 5xx, timeout, broken connection, refused credential. */
  | { readonly kind: 'failure' }
  /** 429. `retryAfterMs` is null without a usable `Retry-After`. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null };

/** Instants are Unix milliseconds; 0 = never. */
export interface FailureRecord {
  /** Consecutive failures, except those during a cooling. */
  readonly failures: number;
  readonly coolings: number;
  /** 0 = a probe has succeeded since. */
  readonly coolingUntil: number;
  /** Until when the provider asked to wait. */
  readonly restingUntil: number;
}

export const NO_FAILURE: FailureRecord = { failures: 0, coolings: 0, coolingUntil: 0, restingUntil: 0 };

export const HEALTHY: EndpointHealth = { state: 'ok' };

/** The health without regard to probes. */
export function healthOf({ restingUntil, coolingUntil }: FailureRecord, now: number): EndpointHealth {
  if (now < restingUntil) return { state: 'resting', until: restingUntil };
  return now < coolingUntil ? { state: 'cooling', until: coolingUntil } : HEALTHY;
}

/** Until when the provider asks to wait; null if it does not say. */
export function waitOf(failure: Failure, now: number): number | null {
  if (failure.kind !== 'rate_limited' || failure.retryAfterMs === null) return null;
  return now + Math.min(failure.retryAfterMs, MAX_RETRY_AFTER_MS);
}

/**
 * After a 429 with `Retry-After` the candidate rests at once, and is probed afterwards as after a cooling. A failure
 * right after a cooling makes it cool at once, as does an endpoint that can't answer. Otherwise consecutive failures
 * count. Those during a cooling don't: one outage under many parallel requests would otherwise lead straight to the
 * longest cooling.
 */
export function afterFailure(record: FailureRecord, failure: Failure, now: number): FailureRecord {
  const retryAt = waitOf(failure, now);
  if (retryAt !== null) return restedUntil(record, retryAt);
  if (failure.kind === 'unsupported') return cooledUntil(record, now + UNSUPPORTED_COOLING_MS);
  if (now < record.coolingUntil) return record;
  const counted = { ...record, failures: record.failures + 1 };
  const isCooled = record.coolingUntil > 0;
  return counted.failures < FAILURES_TO_COOL && !isCooled ? counted : cooledAgain(counted, now);
}

export function restedUntil(record: FailureRecord, retryAt: number): FailureRecord {
  return {
    ...record,
    restingUntil: Math.max(record.restingUntil, retryAt),
    coolingUntil: Math.max(record.coolingUntil, retryAt),
  };
}

export function cooledUntil(record: FailureRecord, until: number): FailureRecord {
  return { ...record, coolingUntil: Math.max(record.coolingUntil, until) };
}

export function cooledAgain(record: FailureRecord, now: number): FailureRecord {
  const duration = Math.min(FIRST_COOLING_MS * 2 ** record.coolings, MAX_COOLING_MS);
  return { ...record, coolings: record.coolings + 1, coolingUntil: now + duration };
}
