/** The demo provider's failures, worded like those of real providers. */
import { kindOfStatus, UpstreamFailure } from '../../inference/ports/failure.js';

/** `retry-after` of a 429. */
const RETRY_AFTER_MS = 2_000;

const MESSAGES: ReadonlyMap<number, string> = new Map([
  [400, "This model's maximum context length is 8192 tokens. Please reduce the length of the messages."],
  [401, 'Incorrect API key provided.'],
  [402, 'Insufficient balance.'],
  [403, 'Your account does not have access to this model.'],
  [404, 'The model does not exist or you do not have access to it.'],
  [413, 'Request too large.'],
  [422, 'Unprocessable request.'],
  [429, 'Rate limit reached for requests. Please try again in 2s.'],
  [500, 'The server had an error while processing your request.'],
  [502, 'Bad gateway.'],
  [503, 'The engine is currently overloaded, please try again later.'],
  [529, 'Overloaded.'],
]);

export function statusFailure(status: number): UpstreamFailure {
  const kind = kindOfStatus(status);
  const message = MESSAGES.get(status) ?? `The provider answered with status ${status}.`;
  return new UpstreamFailure(message, {
    kind,
    status,
    retryAfterMs: kind === 'rate_limit' ? RETRY_AFTER_MS : null,
  });
}

export function contentFilterFailure(): UpstreamFailure {
  const message =
    "The response was filtered due to the prompt triggering the provider's content management policy.";
  return new UpstreamFailure(message, { kind: 'content_filter', status: 400 });
}
