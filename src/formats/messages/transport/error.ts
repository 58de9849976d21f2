/** Writes errors the way Anthropic's clients read them (https://docs.claude.com/en/api/errors). */
import type { FailureDetails } from '../../../base/problem.js';
import type { Reason } from '../../../base/reasons.js';
import { providerAnswerIn } from '../../provider-answer.js';
import type { ErrorEvent, ErrorType } from '../types.js';

/** The status and the body for a failure. */
export function messagesError(
  { reason, httpStatus, message, violations, metadata }: FailureDetails,
  requestId: string,
): { readonly status: number; readonly body: ErrorEvent } {
  const status = STATUSES.get(reason) ?? httpStatus;
  const told = { reason, ...(violations.length > 0 && { violations }), ...metadata };
  const words = reason === 'context_length_exceeded' ? tooLong(metadata) : message;
  const error = { type: typeOf(status), message: words, metadata: told };
  return { status, body: { type: 'error', error, request_id: requestId } };
}

/**
 * The response for a failed request. If a provider has refused a native request, the client gets the provider's own
 * body, since clients act on its words.
 */
export function messagesErrorAnswer(failed: FailureDetails, requestId: string) {
  const answer = providerAnswerIn(failed);
  if (answer !== undefined) return answer;
  const { status, body } = messagesError(failed, requestId);
  return { status, body: JSON.stringify(body) };
}

/** Claude Code compacts on these words. */
function tooLong({ prompt_tokens, context_length }: FailureDetails['metadata']): string {
  const isCounted = typeof prompt_tokens === 'number' && typeof context_length === 'number';
  return `prompt is too long${isCounted ? `: ${prompt_tokens} tokens > ${context_length} maximum` : ''}`;
}

const OVERLOADED = 529;

/**
 * Statuses that differ from the gateway's own. Clients read 403 as a dead login, 402 as one that can't pay and 404 as a wrong
 * name of the model, and retry after 529: so 403 is for the kind of key alone.
 */
const STATUSES: ReadonlyMap<Reason, number> = new Map([
  ['unknown_model', 404],
  ['key_limit_exceeded', 402],
  ['guardrail_budget_exceeded', 402],
  ['workspace_budget_exceeded', 402],
  ['end_user_limit_exceeded', 402],
  ['region_not_allowed', 400],
  ['no_endpoint', 400],
  ['upstream_credential_refused', OVERLOADED],
  ['upstream_failed', OVERLOADED],
  ['upstream_quota_exhausted', OVERLOADED],
]);

const TYPES: ReadonlyMap<number, ErrorType> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [OVERLOADED, 'overloaded_error'],
]);

function typeOf(status: number): ErrorType {
  return TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
