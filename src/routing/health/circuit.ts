/**
 * The circuit breaker (interface section 6): an endpoint, with a key or without, that keeps failing is tried last for
 * a short, growing time. After it a single attempt finds out whether the way works again; all others still try it last
 * until that one has come to content. It never takes a way out of the plan, so a plan of nothing but failing ways still
 * tries them.
 */
import type { Standing } from '../types.js';

/** Consecutive failures after which a way cools. */
export const FAILURES_TO_COOL = 3;
/** How long the first cooling lasts; each further one, without a success between, lasts twice as long. */
export const FIRST_COOLING_MS = 5_000;
/** No cooling lasts longer, so that a preferred way is back this soon after it recovers. */
export const MAX_COOLING_MS = 30_000;
/** No `Retry-After` is believed beyond this. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** A probe that has not come to content by then holds nobody off any more, so that a silent one delays no recovery. */
export const MAX_PROBE_MS = 30_000;
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
  enter(endpointId: string, byokKeyId: string | null, now: number): ProbePermit | undefined;
  /** How many ways are cooling. */
  cooling(now: number): number;
}

/** Leave to try a way. To be ended, however the attempt went; its outcome is recorded all the same. */
export interface ProbePermit {
  /** `hasContent`: whether the way has shown that it works, however its answer may end. */
  end(hasContent: boolean): void;
}

/** What is remembered of a way that failed last time. */
interface FailureRecord {
  /** Failures in a row that were not recorded while cooling. */
  readonly failures: number;
  readonly coolings: number;
  /** 0 = it has worked since. */
  readonly coolingUntil: number;
  /** The attempt that finds out whether the way works again; null = nobody does. */
  readonly probe: Probe | null;
}

interface Probe extends ProbePermit {
  readonly until: number;
}

const OK: Standing = { state: 'ok' };
const NOTHING: FailureRecord = { failures: 0, coolings: 0, coolingUntil: 0, probe: null };
const UNOBSERVED: ProbePermit = { end: () => undefined };

/** A breaker that remembers nothing yet. */
export function createCircuit(): Circuit {
  const records = new Map<string, FailureRecord>();
  return {
    record(endpointId, byokKeyId, outcome, now) {
      if (outcome.kind === 'invalid_request' || (outcome.kind === 'success' && records.size === 0)) return;
      const candidate = nameOf(endpointId, byokKeyId);
      const failure = records.get(candidate) ?? NOTHING;
      records.delete(candidate);
      if (outcome.kind === 'success') return;
      records.set(candidate, afterFailure(failure, outcome, now));
      if (records.size > MAX_REMEMBERED) records.delete(records.keys().next().value ?? candidate);
    },
    standing(endpointId, byokKeyId, now) {
      if (records.size === 0) return OK;
      const until = lastUntil(records.get(nameOf(endpointId, byokKeyId)));
      return now < until ? { state: 'cooling', until } : OK;
    },
    enter(endpointId, byokKeyId, now) {
      if (records.size === 0) return UNOBSERVED;
      const candidate = nameOf(endpointId, byokKeyId);
      const failure = records.get(candidate);
      if (failure === undefined || failure.coolingUntil === 0) return UNOBSERVED;
      if (now < lastUntil(failure)) return undefined;
      const probe: Probe = {
        until: now + MAX_PROBE_MS,
        end(hasContent) {
          const current = records.get(candidate);
          if (current?.probe !== probe) return;
          records.set(candidate, { ...current, ...(hasContent ? { coolingUntil: 0 } : {}), probe: null });
        },
      };
      records.set(candidate, { ...failure, probe });
      return probe;
    },
    cooling: (now) => [...records.values()].filter((failure) => now < lastUntil(failure)).length,
  };
}

/** Until when the way is tried last. */
function lastUntil({ coolingUntil, probe }: FailureRecord = NOTHING): number {
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
function afterFailure(failure: FailureRecord, outcome: Outcome, now: number): FailureRecord {
  if (outcome.kind === 'rate_limited' && outcome.retryAfterMs !== null) {
    const retryAt = now + Math.min(outcome.retryAfterMs, MAX_RETRY_AFTER_MS);
    return { ...failure, coolingUntil: Math.max(failure.coolingUntil, retryAt), probe: null };
  }
  if (now < failure.coolingUntil) return failure;
  const failures = failure.failures + 1;
  const isCooled = failure.coolingUntil > 0;
  if (failures < FAILURES_TO_COOL && !isCooled) return { ...failure, failures };
  const duration = Math.min(FIRST_COOLING_MS * 2 ** failure.coolings, MAX_COOLING_MS);
  return { failures, coolings: failure.coolings + 1, coolingUntil: now + duration, probe: null };
}
