/**
 * The circuit breaker: a candidate (an endpoint, with a BYOK key or without) that keeps failing is tried last for a
 * short, growing time. Then a single attempt probes whether it works again; all others still try it last until the
 * probe has content. The breaker never removes a candidate, so a plan of nothing but failing ones still tries them. See
 * docs/routing.md#circuit-breaker.
 */
import type { EndpointHealth } from '../types.js';

/** Consecutive failures after which a candidate cools. */
export const FAILURES_TO_COOL = 3;
/** Each further cooling without a success in between lasts twice as long as the one before. */
export const FIRST_COOLING_MS = 5_000;
/** Bounds how long a candidate that has recovered is still tried last. */
export const MAX_COOLING_MS = 30_000;
/** How long an endpoint that can't answer is tried last: whoever configures it may mend it meanwhile. */
export const UNSUPPORTED_COOLING_MS = 10 * 60_000;
/** A longer `Retry-After` is cut to this. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** After this long without content another attempt may probe, so that a silent probe can't delay the recovery. */
export const MAX_PROBE_MS = 30_000;
/** Candidates with a record; beyond, those that failed longest ago are dropped. */
export const MAX_RECORDS = 10_000;

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: 'success' }
  /** Refused because of the request itself; says nothing about the candidate. */
  | { readonly kind: 'invalid_request' }
  /** Refused since the endpoint can't answer any such request: its model or its format is not there. */
  | { readonly kind: 'unsupported' }
  /** Anything else: 5xx, timeout, broken connection, refused credential. */
  | { readonly kind: 'failure' }
  /** 429; `retryAfterMs` null without a usable `Retry-After`. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null };

/** Tracks failures by endpoint and key. Instants are Unix milliseconds, passed in by the caller. */
export interface Circuit {
  record(endpointId: string, byokKeyId: string | null, outcome: Outcome, now: number): void;
  /**
   * `resting` while the provider asked to wait. `cooling` also while another attempt probes; then `until` is when the next
   * probe may start at the latest.
   */
  health(endpointId: string, byokKeyId: string | null, now: number): EndpointHealth;
  /**
   * Called right before an attempt, since health changes after the plan was made. Undefined while the candidate cools,
   * rests or is being probed: try it last. The first to enter after a cooling is the probe until its permit ends.
   */
  enter(endpointId: string, byokKeyId: string | null, now: number): ProbePermit | undefined;
  /** How many candidates are cooling or resting. */
  cooling(now: number): number;
}

/** Permission to try a candidate. Must be ended whatever the outcome, which is recorded separately. */
export interface ProbePermit {
  /** `hasContent`: whether any content came, which shows that the candidate works, however the answer ends. */
  end(hasContent: boolean): void;
}

/** Of a candidate whose last attempt failed. */
interface FailureRecord {
  /** Consecutive failures, those during a cooling left out. */
  readonly failures: number;
  readonly coolings: number;
  /** 0 = a probe has succeeded since. */
  readonly coolingUntil: number;
  /** Until when the provider asked to wait. */
  readonly restingUntil: number;
  /** The attempt that is probing; null = none. */
  readonly probe: Probe | null;
}

interface Probe extends ProbePermit {
  readonly until: number;
}

const OK: EndpointHealth = { state: 'ok' };
const NOTHING: FailureRecord = { failures: 0, coolings: 0, coolingUntil: 0, restingUntil: 0, probe: null };
const UNOBSERVED: ProbePermit = { end: () => undefined };

/** A breaker without records. */
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
      if (records.size > MAX_RECORDS) records.delete(records.keys().next().value ?? candidate);
    },
    health(endpointId, byokKeyId, now) {
      if (records.size === 0) return OK;
      const record = records.get(nameOf(endpointId, byokKeyId)) ?? NOTHING;
      if (now < record.restingUntil) return { state: 'resting', until: record.restingUntil };
      const until = lastUntil(record);
      return now < until ? { state: 'cooling', until } : OK;
    },
    enter(endpointId, byokKeyId, now) {
      if (records.size === 0) return UNOBSERVED;
      const candidate = nameOf(endpointId, byokKeyId);
      const failure = records.get(candidate);
      if (failure !== undefined && now < failure.restingUntil) return undefined;
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
    cooling: (now) =>
      [...records.values()].filter((one) => now < Math.max(one.restingUntil, lastUntil(one))).length,
  };
}

/** Until when the candidate is tried last. */
function lastUntil({ coolingUntil, probe }: FailureRecord = NOTHING): number {
  return probe?.until ?? coolingUntil;
}

/** Unambiguous: identifiers of keys have no spaces. */
function nameOf(endpointId: string, byokKeyId: string | null): string {
  return byokKeyId === null ? ` ${endpointId}` : `${byokKeyId} ${endpointId}`;
}

/**
 * A 429 with `Retry-After` rests at once, and is probed after it like a cooling. A failure after a cooling cools at once,
 * as does an endpoint that can't answer. Otherwise consecutive failures count; those during a cooling don't, or one
 * outage under many parallel requests would jump straight to the longest cooling.
 */
function afterFailure(failure: FailureRecord, outcome: Outcome, now: number): FailureRecord {
  if (outcome.kind === 'rate_limited' && outcome.retryAfterMs !== null) {
    const retryAt = now + Math.min(outcome.retryAfterMs, MAX_RETRY_AFTER_MS);
    const restingUntil = Math.max(failure.restingUntil, retryAt);
    return { ...failure, restingUntil, coolingUntil: Math.max(failure.coolingUntil, retryAt), probe: null };
  }
  if (outcome.kind === 'unsupported') {
    return { ...failure, coolingUntil: now + UNSUPPORTED_COOLING_MS, probe: null };
  }
  if (now < failure.coolingUntil) return failure;
  const failures = failure.failures + 1;
  const isCooled = failure.coolingUntil > 0;
  if (failures < FAILURES_TO_COOL && !isCooled) return { ...failure, failures };
  const duration = Math.min(FIRST_COOLING_MS * 2 ** failure.coolings, MAX_COOLING_MS);
  return {
    ...failure,
    failures,
    coolings: failure.coolings + 1,
    coolingUntil: now + duration,
    probe: null,
  };
}
