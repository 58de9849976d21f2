/** Orders the attempts of a plan by their current health, which may have changed since the plan was made. */
import type { Clock } from '../../base/clock.js';
import type { ProbePermit } from '../../routing/health/probe-permit.js';
import type { Attempt, ExclusionCounts, PassedOverState } from '../../routing/types.js';
import { type CircuitSink, candidateOf } from './circuit-sink.js';

interface CurrentHealth {
  readonly circuit: Pick<CircuitSink, 'enter' | 'health'>;
  readonly clock: Clock;
  /** The account that the attempts are made for. */
  readonly accountId: string;
  readonly passedOver: PassedOver;
}

/**
 * The attempts that are not made, or not yet, because they are cooling or resting, or may cost more than could be reserved.
 */
export type PassedOver = Map<Attempt, PassedOverState>;

interface PermittedAttempt {
  readonly attempt: Attempt;
  /** undefined for an attempt that is made although the circuit breaker defers it. */
  readonly permit: ProbePermit | undefined;
}

/**
 * The attempts in the plan's order, with two exceptions: those that are cooling by now, or that another request probes,
 * come last within their model, and resting ones come last of all.
 */
export function* inCurrentOrder(
  attempts: readonly Attempt[],
  { circuit, clock, accountId, passedOver }: CurrentHealth,
): Generator<PermittedAttempt> {
  for (const attempt of attempts) {
    if (attempt.health.state !== 'ok') passedOver.set(attempt, attempt.health.state);
  }
  const deferred: Attempt[] = [];
  const resting: Attempt[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { endpoint } = attempt;
    const candidate = candidateOf(attempt, accountId);
    const permit = circuit.enter(candidate, clock.now());
    if (permit === undefined) {
      const { state } = circuit.health(candidate, clock.now());
      if (state !== 'ok') passedOver.set(attempt, state);
      (state === 'resting' ? resting : deferred).push(attempt);
    } else {
      passedOver.delete(attempt);
      try {
        yield { attempt, permit };
      } finally {
        permit.end(false);
      }
    }
    if (attempts[index + 1]?.endpoint.modelId === endpoint.modelId) continue;
    yield* last(deferred.splice(0), passedOver);
  }
  yield* last(resting, passedOver);
}

function* last(attempts: readonly Attempt[], passedOver: PassedOver): Generator<PermittedAttempt> {
  for (const attempt of attempts) {
    passedOver.delete(attempt);
    yield { attempt, permit: undefined };
  }
}

/**
 * When the first attempt may be made, in Unix milliseconds; null unless all attempts rest. In that case all are passed
 * over.
 */
export function restingUntil(
  attempts: readonly Attempt[],
  { circuit, clock, accountId, passedOver }: CurrentHealth,
): number | null {
  let first = Infinity;
  for (const attempt of attempts) {
    const health = circuit.health(candidateOf(attempt, accountId), clock.now());
    if (health.state !== 'resting') return null;
    first = Math.min(first, health.until);
  }
  if (!Number.isFinite(first)) return null;
  for (const attempt of attempts) passedOver.set(attempt, 'resting');
  return first;
}

/** The exclusion counts of a request's plan, with the attempts that were passed over. */
export function withPassedOver(counts: ExclusionCounts, passedOver: PassedOver): ExclusionCounts {
  if (passedOver.size === 0) return counts;
  const all: Partial<Record<PassedOverState, number>> = {};
  for (const state of passedOver.values()) all[state] = (all[state] ?? 0) + 1;
  return { ...counts, ...all };
}
