import type { UpstreamFailure } from './failure.js';

/** How an attempt ended, as far as the circuit breaker cares. */
export type Outcome =
  | { readonly kind: 'success' }
  /** Refused for what the request says; tells nothing about the endpoint or the key. */
  | { readonly kind: 'invalid_request' }
  | { readonly kind: 'failure' }
  /** null when the provider did not say how long to wait. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null };

/** Hears once of every attempt how it ended, unless the failure is not to be held against anybody. */
export interface CircuitSink {
  /** `now` in Unix milliseconds. */
  record(endpointId: string, byokKeyId: string | null, outcome: Outcome, now: number): void;
}

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
