/**
 * The circuit breaker (interface section 6): an endpoint, with a key or without, that keeps failing is tried last for
 * a short, growing time. It never takes a way out of the plan, so a plan of nothing but failing ways still tries them.
 */
import type { Standing } from './types.js';

/** Consecutive failures after which a way cools. */
export const FAILURES_TO_COOL = 3;
/** How long the first cooling lasts; each further one, without a success between, lasts twice as long. */
export const FIRST_COOLING_MS = 5_000;
/** No cooling lasts longer, so that a preferred way is back this soon after it recovers. */
export const LONGEST_COOLING_MS = 30_000;
/** No `Retry-After` is believed beyond this. */
export const LONGEST_RETRY_AFTER_MS = 60_000;
/** Ways remembered at once; the ones that failed longest ago are forgotten first. */
export const MAX_REMEMBERED = 10_000;

/** How an attempt ended, as far as the breaker cares. */
export type Outcome =
  | { readonly kind: 'success' }
  /** Refused as the caller's fault; says nothing about the way. */
  | { readonly kind: 'invalid_request' }
  /** Anything else: 5xx, timeout, broken connection, refused credential. */
  | { readonly kind: 'failure' }
  /** 429; `retryAfterMs` null when the provider didn't say. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null };

/** Remembers failures per endpoint and key. Instants are Unix milliseconds, given by the caller. */
export interface Circuit {
  record(endpointId: string, byokKeyId: string | null, outcome: Outcome, now: number): void;
  standing(endpointId: string, byokKeyId: string | null, now: number): Standing;
  /** How many ways are cooling. */
  cooling(now: number): number;
}

/** What is remembered of a way that failed last time. */
interface Memory {
  /** Failures in a row that were not recorded while cooling. */
  readonly failures: number;
  readonly coolings: number;
  readonly coolingUntil: number;
}

const OK: Standing = { state: 'ok' };

const NOTHING: Memory = { failures: 0, coolings: 0, coolingUntil: 0 };

/** A breaker that remembers nothing yet. */
export function createCircuit(): Circuit {
  const memories = new Map<string, Memory>();
  return {
    record(endpointId, byokKeyId, outcome, now) {
      if (outcome.kind === 'invalid_request' || (outcome.kind === 'success' && memories.size === 0)) return;
      const way = nameOf(endpointId, byokKeyId);
      const memory = memories.get(way) ?? NOTHING;
      memories.delete(way);
      if (outcome.kind === 'success') return;
      memories.set(way, afterFailure(memory, outcome, now));
      if (memories.size > MAX_REMEMBERED) memories.delete(memories.keys().next().value ?? way);
    },
    standing(endpointId, byokKeyId, now) {
      if (memories.size === 0) return OK;
      const until = memories.get(nameOf(endpointId, byokKeyId))?.coolingUntil ?? 0;
      return now < until ? { state: 'cooling', until } : OK;
    },
    cooling: (now) => [...memories.values()].filter(({ coolingUntil }) => now < coolingUntil).length,
  };
}

/** Unambiguous: no identifier of a key has a space in it. */
function nameOf(endpointId: string, byokKeyId: string | null): string {
  return byokKeyId === null ? ` ${endpointId}` : `${byokKeyId} ${endpointId}`;
}

/**
 * A stated `Retry-After` cools at once. Else the failures in a row decide; those of attempts that ran while the way
 * was cooling don't count, or one outage under many parallel requests would jump to the longest cooling.
 */
function afterFailure(memory: Memory, outcome: Outcome, now: number): Memory {
  if (outcome.kind === 'rate_limited' && outcome.retryAfterMs !== null) {
    const retryAt = now + Math.min(outcome.retryAfterMs, LONGEST_RETRY_AFTER_MS);
    return { ...memory, coolingUntil: Math.max(memory.coolingUntil, retryAt) };
  }
  if (now < memory.coolingUntil) return memory;
  const failures = memory.failures + 1;
  if (failures < FAILURES_TO_COOL) return { ...memory, failures };
  const duration = Math.min(FIRST_COOLING_MS * 2 ** memory.coolings, LONGEST_COOLING_MS);
  return { failures, coolings: memory.coolings + 1, coolingUntil: now + duration };
}
