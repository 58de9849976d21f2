/**
 * The circuit breaker. A candidate (an endpoint, with a BYOK key or without) that keeps failing is tried last for a
 * short time, which grows. After that a single attempt probes whether it works again; all others still try it last
 * until the probe has content. The breaker never removes a candidate, so a plan of failing candidates still tries them.
 * What one account meets on shared capacity holds for that account, and for all accounts once three have met it. See
 * docs/routing.md#circuit-breaker.
 */
import { OwnedMap } from '../../base/memory/owned-map.js';
import type { EndpointHealth } from '../types.js';
import { type AccountCandidate, candidateName } from './account-candidate.js';
import { AccountHealth } from './account-health.js';
import { HEALTHY, type Outcome } from './failure-record.js';
import { type ProbePermit, UNOBSERVED } from './probe-permit.js';
import { SharedHealth } from './shared-health.js';

/**
 * Maximum of candidates with a record, over all accounts. Beyond it the account with the most loses the one that failed
 * longest ago.
 */
export const MAX_RECORDS = 10_000;

/**
 * Maximum of shared endpoints with a record, more than a catalogue has. Beyond it those that failed longest ago are
 * dropped.
 */
const MAX_SHARED_RECORDS = 10_000;

/** Tracks failures. Instants are Unix milliseconds, passed in by the caller. */
export interface Circuit {
  /**
   * `at` is when it happened. For a success that is when its answer began: a stream that was being answered when the
   * candidate was deferred says nothing about what came after, however late it ends.
   */
  record(candidate: AccountCandidate, outcome: Outcome, at: number): void;
  /**
   * `resting` while the provider asks to wait. `cooling` also while another attempt probes; then `until` is when the
   * next probe may start at the latest.
   */
  health(candidate: AccountCandidate, now: number): EndpointHealth;
  /**
   * Called right before an attempt, since health changes after the plan was made. undefined while the candidate cools,
   * rests or is being probed: try it last. The first to enter after a cooling is the probe, until its permit ends.
   */
  enter(candidate: AccountCandidate, now: number): ProbePermit | undefined;
  /** How many candidates are cooling or resting, for at least one account. */
  cooling(now: number): number;
}

export function createCircuit(): Circuit {
  const records = new OwnedMap<AccountHealth>(MAX_RECORDS);
  const shared = new Map<string, SharedHealth>();
  const health = (candidate: AccountCandidate, now: number) => {
    if (records.size === 0 && shared.size === 0) return HEALTHY;
    const { accountId, endpointId, byokKeyId } = candidate;
    const own = records.get(accountId, candidateName(candidate))?.at(now) ?? HEALTHY;
    if (byokKeyId !== null) return own;
    return worse(own, shared.get(endpointId)?.at(accountId, now) ?? HEALTHY);
  };
  return {
    record(candidate, outcome, at) {
      const { accountId, endpointId, byokKeyId } = candidate;
      if (outcome.kind === 'invalid_request') return;
      if (outcome.kind === 'success') {
        const known = records.get(accountId, candidateName(candidate));
        if (known?.isOverBy(at)) records.delete(accountId, candidateName(candidate));
        if (byokKeyId === null) shared.get(endpointId)?.succeeded(at);
        return;
      }
      const own = records.get(accountId, candidateName(candidate)) ?? new AccountHealth();
      own.failed(outcome, at);
      records.set(accountId, candidateName(candidate), own);
      if (byokKeyId !== null) return;
      const all = shared.get(endpointId) ?? new SharedHealth();
      all.failed(accountId, outcome, at);
      shared.delete(endpointId);
      shared.set(endpointId, all);
      if (shared.size > MAX_SHARED_RECORDS) shared.delete(shared.keys().next().value ?? endpointId);
    },
    health,
    enter(candidate, now) {
      if (records.size === 0 && shared.size === 0) return UNOBSERVED;
      if (health(candidate, now).state !== 'ok') return undefined;
      const { accountId, endpointId, byokKeyId } = candidate;
      const own = records.get(accountId, candidateName(candidate))?.enter(now) ?? UNOBSERVED;
      const all = byokKeyId === null ? shared.get(endpointId)?.enter(accountId, now) : undefined;
      return all === undefined ? own : both(own, all);
    },
    cooling(now) {
      const deferred = new Set<string>();
      for (const [name, record] of records.entries()) if (record.at(now).state !== 'ok') deferred.add(name);
      for (const [endpointId, record] of shared) {
        if (record.at(null, now).state !== 'ok') deferred.add(candidateName({ endpointId, byokKeyId: null }));
      }
      return deferred.size;
    },
  };
}

const STATES: readonly EndpointHealth['state'][] = ['ok', 'cooling', 'resting'];

/** The worse state of the two; of equal states the one that lasts longer. */
function worse(a: EndpointHealth, b: EndpointHealth): EndpointHealth {
  const order = STATES.indexOf(a.state) - STATES.indexOf(b.state);
  if (order !== 0) return order > 0 ? a : b;
  return a.state !== 'ok' && b.state !== 'ok' && a.until < b.until ? b : a;
}

function both(one: ProbePermit, other: ProbePermit): ProbePermit {
  return {
    end(hasContent) {
      one.end(hasContent);
      other.end(hasContent);
    },
  };
}
