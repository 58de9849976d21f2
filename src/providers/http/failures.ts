/** The ways in which attempts fail without an error status, in the same words for every protocol (interface section 6). */
import { type FailureWord, UpstreamFailure } from '../../inference/attempts/failure.js';

/** A connection that breaks. */
export const reset = (cause?: unknown) => trouble('reset', 'The connection to the provider was reset', cause);

/** A connection that never comes about. */
export const unreachable = (cause?: unknown) =>
  trouble('connect', 'No connection to the provider could be made', cause);

/** A connection that takes too long to come about, or to take what is sent. */
export const connectionTimeout = (cause?: unknown) =>
  trouble('timeout', 'The connection to the provider timed out', cause);

/** An answer that cannot be read. */
export const malformed = (cause?: unknown) =>
  trouble('malformed', 'The provider sent something that is not an answer', cause);

/** An answer that ends before its end. */
export const truncated = (cause?: unknown) =>
  trouble('truncated', 'The provider ended the answer before it was complete', cause);

function trouble(error: FailureWord, message: string, cause: unknown): UpstreamFailure {
  return new UpstreamFailure(message, { kind: 'upstream_error', error, cause });
}
