/** The order in which the attempts of a plan are made, since health changes after the plan was made. */
import type { Clock } from '../../base/clock.js';
import type { ProbePermit } from '../../routing/health/circuit.js';
import type { Attempt } from '../../routing/types.js';
import type { CircuitSink } from './circuit-sink.js';

interface CurrentHealth {
  readonly circuit: Pick<CircuitSink, 'enter' | 'health'>;
  readonly clock: Clock;
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
  { circuit, clock }: CurrentHealth,
): Generator<DueAttempt> {
  const deferred: Attempt[] = [];
  const resting: Attempt[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { endpoint, key } = attempt;
    const permit = circuit.enter(endpoint.id, key?.id ?? null, clock.now());
    if (permit === undefined) {
      const { state } = circuit.health(endpoint.id, key?.id ?? null, clock.now());
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
export function restingUntil(attempts: readonly Attempt[], { circuit, clock }: CurrentHealth): number | null {
  let first = Infinity;
  for (const { endpoint, key } of attempts) {
    const health = circuit.health(endpoint.id, key?.id ?? null, clock.now());
    if (health.state !== 'resting') return null;
    first = Math.min(first, health.until);
  }
  return Number.isFinite(first) ? first : null;
}
