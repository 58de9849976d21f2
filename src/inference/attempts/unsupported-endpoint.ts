import type { UpstreamFailure } from '../ports/failure.js';
import { type CallerText, hasQuotation } from './caller-text.js';

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

/** Whether the provider says, in words that the request does not contain, that the endpoint can't answer any of this kind. */
export function saysUnsupported(
  { kind, message }: Pick<UpstreamFailure, 'kind' | 'message'>,
  request: CallerText,
): boolean {
  if (kind !== 'invalid_request') return false;
  return WORDS.some((words) => {
    const found = words.exec(message);
    return found !== null && !hasQuotation(message.slice(0, found.index)) && !request.says(found[0]);
  });
}
