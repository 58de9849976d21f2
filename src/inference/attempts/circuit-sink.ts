import type { Circuit, Outcome } from '../../routing/health/circuit.js';
import type { UpstreamFailure } from './failure.js';

/** Lets attempts in, and hears once of each how it ended, unless the failure is not to be held against anybody. */
export type CircuitSink = Pick<Circuit, 'enter' | 'record'>;

/** What the breaker is told of a failure; undefined when it is not to be held against anybody. */
export function outcomeOf(failure: UpstreamFailure): Outcome | undefined {
  if (!failure.isPenalised) return undefined;
  switch (failure.kind) {
    case 'invalid_request':
    case 'content_filter':
      return { kind: 'invalid_request' };
    case 'rate_limit':
      return { kind: 'rate_limited', retryAfterMs: failure.retryAfterMs };
    case 'auth':
    case 'upstream_error':
    case 'cancelled':
      return { kind: 'failure' };
  }
}
