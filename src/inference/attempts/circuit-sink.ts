import type { AccountCandidate } from '../../routing/health/account-candidate.js';
import type { Circuit } from '../../routing/health/circuit.js';
import type { Outcome } from '../../routing/health/failure-record.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamFailure } from '../ports/failure.js';
import type { CallerText } from './caller-text.js';
import type { Refusals } from './refusals.js';

/** The part of the circuit breaker that attempts need. */
export type CircuitSink = Pick<Circuit, 'enter' | 'health' | 'record'>;

/** The candidate of an attempt, for the account that it is made for. */
export function candidateOf({ endpoint, key }: Attempt, accountId: string): AccountCandidate {
  return { accountId, endpointId: endpoint.id, byokKeyId: key?.id ?? null };
}

/** What the circuit breaker records of a failure; undefined if the failure does not count against anything. */
export function outcomeOf(
  failure: UpstreamFailure,
  request: CallerText,
  refusals: Pick<Refusals, 'saysUnsupported'>,
): Outcome | undefined {
  if (!failure.isPenalised) return undefined;
  switch (failure.kind) {
    case 'invalid_request':
      return { kind: refusals.saysUnsupported(failure, request) ? 'unsupported' : 'invalid_request' };
    case 'content_filter':
      return { kind: 'invalid_request' };
    case 'rate_limit':
      return { kind: 'rate_limited', retryAfterMs: failure.retryAfterMs };
    case 'auth':
    case 'quota':
    case 'upstream_error':
    case 'cancelled':
    case 'shut_down':
      return { kind: 'failure' };
  }
}
