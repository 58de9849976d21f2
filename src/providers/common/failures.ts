/** Failures without an error status, with the same messages for all protocols. */
import {
  type FailureCode,
  type NetworkDetail,
  type NetworkReason,
  UNREACHABLE,
  UpstreamFailure,
} from '../../inference/ports/failure.js';

export const reset = (cause?: unknown, network?: NetworkDetail) =>
  failure('reset', 'The connection to the provider was reset', cause, network);

export const unreachable = (error: NetworkReason, cause: unknown, network: NetworkDetail) =>
  failure(error, UNREACHABLE, cause, network);

/** Connecting or sending took too long. */
export const connectionTimeout = (cause?: unknown, network?: NetworkDetail) =>
  failure('timeout', 'The connection to the provider timed out', cause, network);

export const malformed = (cause?: unknown) =>
  failure('malformed', 'The provider sent something that is not an answer', cause);

export const truncated = (cause?: unknown) =>
  failure('truncated', 'The provider ended the answer before it was complete', cause);

/** When to try again. Answers take seconds, and each that ends gives its place to the next request. */
const PLACE_RETRY_MS = 5_000;

/** The account may have no further connection now. */
export const noPlace = (cause?: unknown) =>
  new UpstreamFailure('Too many requests of this account are in flight at the provider', {
    kind: 'rate_limit',
    error: 'in_flight_limit',
    retryAfterMs: PLACE_RETRY_MS,
    isPenalised: false,
    cause,
  });

function failure(error: FailureCode, message: string, cause: unknown, network: NetworkDetail | null = null) {
  return new UpstreamFailure(message, { kind: 'upstream_error', error, cause, network });
}
