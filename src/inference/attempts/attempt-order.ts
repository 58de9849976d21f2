/** The order in which the attempts of a plan are made, since health changes after the plan was made. */
import type { Clock } from '../../base/clock.js';
import type { ProbePermit } from '../../routing/health/circuit.js';
import type { Attempt } from '../../routing/types.js';
import type { CircuitSink } from './circuit-sink.js';

interface DueAttempt {
  readonly attempt: Attempt;
  /** Undefined for an attempt that is made although the circuit breaker defers it. */
  readonly permit: ProbePermit | undefined;
}

/**
 * The attempts in the plan's order, except that those which are cooling by now, or probed by another request, come last
 * within their model.
 */
export function* inCurrentOrder(
  attempts: readonly Attempt[],
  { circuit, clock }: { readonly circuit: Pick<CircuitSink, 'enter'>; readonly clock: Clock },
): Generator<DueAttempt> {
  const deferred: Attempt[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { endpoint, key } = attempt;
    const permit = circuit.enter(endpoint.id, key?.id ?? null, clock.now());
    if (permit === undefined) {
      deferred.push(attempt);
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
}
