import type { UpstreamFailure } from './failure.js';

/**
 * Words of refusals that are about the endpoint, whatever the request: the model, or the way to it, is not there. Sources:
 * `docs/providers/README.md#endpoints-that-cannot-answer`.
 */
const WORDS: readonly RegExp[] = [
  /only supported in v1\/responses/,
  /not supported in the v1\/chat\/completions endpoint/,
  /operation does not work with the specified model/,
  /requested operation is unsupported/,
  /API deployment for this resource does not exist/,
  /with on-demand throughput isn.t supported/,
];

/** Whether the provider says that the endpoint can't answer any request of this kind. */
export function saysUnsupported({ kind, message }: Pick<UpstreamFailure, 'kind' | 'message'>): boolean {
  return kind === 'invalid_request' && WORDS.some((words) => words.test(message));
}
