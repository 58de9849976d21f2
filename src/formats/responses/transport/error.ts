/**
 * Writes errors in the words that OpenAI's clients read (https://platform.openai.com/docs/guides/error-codes). Codex ends a
 * turn at quota, limit and invalid requests and tries again after anything else (openai/codex, 0.169).
 */
import type { FailureDetails, Metadata } from '../../../base/problem.js';
import type { Reason } from '../../../base/reasons.js';
import { errorWords, type OpenAiErrorType } from '../../chat/error.js';
import { providerAnswerIn } from '../../provider-answer.js';

export type ResponsesErrorType = OpenAiErrorType | 'usage_limit_reached';

export interface ResponsesError {
  readonly type: ResponsesErrorType;
  /** A stable word. */
  readonly code: string;
  readonly message: string;
  /** Path of the member of the request that it is about. */
  readonly param: string | null;
  /** Unix seconds: when what was spent can be spent again. */
  readonly resets_at?: number;
}

/** An error within a stream. */
export interface ResponsesStreamError extends ResponsesError {
  readonly metadata: Metadata;
}

/** The status and the error of a failure. */
export function responsesError(failed: FailureDetails): {
  readonly status: number;
  readonly error: ResponsesError;
} {
  const { reason, httpStatus, message, metadata } = failed;
  if (SPENT.has(reason)) return { status: TOO_MANY, error: { ...spent(metadata), message, param: null } };
  const { type, param } = errorWords(failed);
  const isUnserved = UNSERVED.has(reason);
  return {
    status: isUnserved ? INVALID : httpStatus,
    error: {
      type: isUnserved ? 'invalid_request_error' : type,
      code: codeOf(failed),
      message,
      param: reason === 'context_length_exceeded' ? 'input' : param,
    },
  };
}

/** The same for a stream that has begun, in which only some codes end a turn. */
export function streamError(failed: FailureDetails, retryAfterSeconds?: number): ResponsesStreamError {
  const { error } = responsesError(failed);
  const isFinal = error.type === 'invalid_request_error' && error.code !== 'context_length_exceeded';
  const isLimited = error.code === 'rate_limit_exceeded' && retryAfterSeconds !== undefined;
  return {
    ...error,
    ...(isFinal && { code: 'invalid_prompt' }),
    // Codex reads how long to wait out of these words.
    ...(isLimited && { message: `${error.message}. Please try again in ${retryAfterSeconds}s.` }),
    metadata: metadataOf(failed),
  };
}

/**
 * The response for a failed request. If a provider has refused a native request, the client gets the provider's own
 * body, since clients act on its words.
 */
export function responsesErrorAnswer(failed: FailureDetails) {
  const answer = providerAnswerIn(failed);
  if (answer !== undefined) return answer;
  const { status, error } = responsesError(failed);
  return { status, body: JSON.stringify({ error: { ...error, metadata: metadataOf(failed) } }) };
}

/** The gateway's own data. */
function metadataOf({ reason, violations, metadata }: FailureDetails): Metadata {
  return { reason, ...(violations.length > 0 && { violations }), ...metadata };
}

const INVALID = 400;
const TOO_MANY = 429;

/** Money that is spent: clients take 402 and 403 for a passing failure, and try again. */
const SPENT: ReadonlySet<Reason> = new Set([
  'insufficient_credits',
  'key_limit_exceeded',
  'guardrail_budget_exceeded',
  'workspace_budget_exceeded',
  'run_limit_exceeded',
  'end_user_limit_exceeded',
]);

/** What no retry serves. */
const UNSERVED: ReadonlySet<Reason> = new Set(['region_not_allowed', 'no_endpoint']);

/** What resets is a limit, whose time clients show; anything else a quota. */
function spent({ resets_at }: Metadata): Pick<ResponsesError, 'type' | 'code' | 'resets_at'> {
  const resetsAt = typeof resets_at === 'string' ? Date.parse(resets_at) : Number.NaN;
  if (Number.isNaN(resetsAt)) return { type: 'insufficient_quota', code: 'insufficient_quota' };
  const seconds = Math.ceil(resetsAt / 1000);
  return { type: 'usage_limit_reached', code: 'usage_limit_reached', resets_at: seconds };
}

/** OpenAI's words; a reason without one is its own code. */
const CODES: ReadonlyMap<Reason, string> = new Map([
  ['unknown_model', 'model_not_found'],
  ['content_filter', 'invalid_prompt'],
  ['limit_reserved', 'rate_limit_exceeded'],
  ['too_many_runs', 'rate_limit_exceeded'],
  ['rate_limited', 'rate_limit_exceeded'],
  ['upstream_rate_limited', 'rate_limit_exceeded'],
  ['request_timeout', 'server_error'],
  ['internal', 'server_error'],
  ['upstream_credential_refused', 'server_error'],
  ['upstream_quota_exhausted', 'server_error'],
  ['upstream_failed', 'server_error'],
  ['not_ready', 'server_error'],
  ['database_unavailable', 'server_error'],
  ['shutting_down', 'server_error'],
]);

/** By the first rule that is broken. */
const RULE_CODES: ReadonlyMap<string, string> = new Map([
  ['required', 'missing_required_parameter'],
  ['unknown', 'unknown_parameter'],
  ['unsupported', 'unsupported_parameter'],
]);

function codeOf({ reason, violations, metadata }: FailureDetails): string {
  if (reason === 'invalid_request') return RULE_CODES.get(violations[0]?.rule ?? '') ?? 'invalid_value';
  if (reason === 'upstream_invalid_request') return providerCode(metadata) ?? 'invalid_value';
  return CODES.get(reason) ?? reason;
}

function providerCode({ provider_error }: Metadata): string | undefined {
  const isSaid = typeof provider_error === 'object' && provider_error !== null && 'code' in provider_error;
  return isSaid && typeof provider_error.code === 'string' ? provider_error.code : undefined;
}
