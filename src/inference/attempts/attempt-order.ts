/** The order in which the attempts of a plan are made, since health changes after the plan was made. */
import type { Clock } from '../../base/clock.js';
import type { ProbePermit } from '../../routing/health/probe-permit.js';
import type { Attempt } from '../../routing/types.js';
import { type CircuitSink, candidateOf } from './circuit-sink.js';

interface CurrentHealth {
  readonly circuit: Pick<CircuitSink, 'enter' | 'health'>;
  readonly clock: Clock;
  /** Whose attempts they are. */
  readonly accountId: string;
}

interface DueAttempt {
  readonly attempt: Attempt;
  /** Undefined for an attempt that is made although the circuit breaker defers it. */
  readonly permit: ProbePermit | undefined;
}

/**
 * The attempts in the plan's order, except that those which are cooling by now, or probed by another request, come last
 * within their model, and those which rest last of all.
 */
export function* inCurrentOrder(
  attempts: readonly Attempt[],
  { circuit, clock, accountId }: CurrentHealth,
): Generator<DueAttempt> {
  const deferred: Attempt[] = [];
  const resting: Attempt[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { endpoint } = attempt;
    const candidate = candidateOf(attempt, accountId);
    const permit = circuit.enter(candidate, clock.now());
    if (permit === undefined) {
      const { state } = circuit.health(candidate, clock.now());
      (state === 'resting' ? resting : deferred).push(attempt);
    } else {
      try {
        yield { attempt, permit };
      } finally {
        permit.end(false);
      }
    }
    if (attempts[index + 1]?.endpoint.modelId === endpoint.modelId) continue;
    for (const last of deferred.splice(0)) yield { attempt: last, permit: undefined };
  }
  for (const last of resting) yield { attempt: last, permit: undefined };
}

/** When the first of the attempts may be made again, in Unix milliseconds; null unless all of them rest. */
export function restingUntil(
  attempts: readonly Attempt[],
  { circuit, clock, accountId }: CurrentHealth,
): number | null {
  let first = Infinity;
  for (const attempt of attempts) {
    const health = circuit.health(candidateOf(attempt, accountId), clock.now());
    if (health.state !== 'resting') return null;
    first = Math.min(first, health.until);
  }
  return Number.isFinite(first) ? first : null;
}
