/**
 * The circuit breaker (interface section 6): an endpoint, with a key or without, that keeps failing is tried last for
 * a short, growing time. After it a single attempt finds out whether the way works again; all others still try it last
 * until that one has come to content. It never takes a way out of the plan, so a plan of nothing but failing ways still
 * tries them.
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
/** A probe that has not come to content by then holds nobody off any more, so that a silent one delays no recovery. */
export const LONGEST_PROBE_MS = 30_000;
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
  /** `cooling` also while another attempt probes the way, until it may be probed again at the latest. */
  standing(endpointId: string, byokKeyId: string | null, now: number): Standing;
  /**
   * Asked right before an attempt, since standings change after the plan. Undefined where the way is cooling or being
   * probed: it is to be tried last. Who enters first after a cooling is the probe until its passage ends.
   */
  enter(endpointId: string, byokKeyId: string | null, now: number): Passage | undefined;
  /** How many ways are cooling. */
  cooling(now: number): number;
}

/** Leave to try a way. To be ended, however the attempt went; its outcome is recorded all the same. */
export interface Passage {
  /** `hasContent`: whether the way has shown that it works, however its answer may end. */
  end(hasContent: boolean): void;
}

/** What is remembered of a way that failed last time. */
interface Memory {
  /** Failures in a row that were not recorded while cooling. */
  readonly failures: number;
  readonly coolings: number;
  /** 0 = it has worked since. */
  readonly coolingUntil: number;
  /** The attempt that finds out whether the way works again; null = nobody does. */
  readonly probe: Probe | null;
}

interface Probe extends Passage {
  readonly until: number;
}

const OK: Standing = { state: 'ok' };
const NOTHING: Memory = { failures: 0, coolings: 0, coolingUntil: 0, probe: null };
const UNOBSERVED: Passage = { end: () => undefined };

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
      const until = lastUntil(memories.get(nameOf(endpointId, byokKeyId)));
      return now < until ? { state: 'cooling', until } : OK;
    },
    enter(endpointId, byokKeyId, now) {
      if (memories.size === 0) return UNOBSERVED;
      const way = nameOf(endpointId, byokKeyId);
      const memory = memories.get(way);
      if (memory === undefined || memory.coolingUntil === 0) return UNOBSERVED;
      if (now < lastUntil(memory)) return undefined;
      const probe: Probe = {
        until: now + LONGEST_PROBE_MS,
        end(hasContent) {
          const current = memories.get(way);
          if (current?.probe !== probe) return;
          memories.set(way, { ...current, ...(hasContent ? { coolingUntil: 0 } : {}), probe: null });
        },
      };
      memories.set(way, { ...memory, probe });
      return probe;
    },
    cooling: (now) => [...memories.values()].filter((memory) => now < lastUntil(memory)).length,
  };
}

/** Until when the way is tried last. */
function lastUntil({ coolingUntil, probe }: Memory = NOTHING): number {
  return probe?.until ?? coolingUntil;
}

/** Unambiguous: no identifier of a key has a space in it. */
function nameOf(endpointId: string, byokKeyId: string | null): string {
  return byokKeyId === null ? ` ${endpointId}` : `${byokKeyId} ${endpointId}`;
}

/**
 * A stated `Retry-After` cools at once, as does a failure after a cooling. Else the failures in a row decide; those of
 * attempts that ran while the way was cooling don't count, or one outage under many parallel requests would jump to the
 * longest cooling.
 */
function afterFailure(memory: Memory, outcome: Outcome, now: number): Memory {
  if (outcome.kind === 'rate_limited' && outcome.retryAfterMs !== null) {
    const retryAt = now + Math.min(outcome.retryAfterMs, LONGEST_RETRY_AFTER_MS);
    return { ...memory, coolingUntil: Math.max(memory.coolingUntil, retryAt), probe: null };
  }
  if (now < memory.coolingUntil) return memory;
  const failures = memory.failures + 1;
  const isCooled = memory.coolingUntil > 0;
  if (failures < FAILURES_TO_COOL && !isCooled) return { ...memory, failures };
  const duration = Math.min(FIRST_COOLING_MS * 2 ** memory.coolings, LONGEST_COOLING_MS);
  return { failures, coolings: memory.coolings + 1, coolingUntil: now + duration, probe: null };
}
