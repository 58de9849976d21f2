/**
 * OpenAI's words for errors, where its clients look for them: `type` and `param` of `error`. Its guide to error codes
 * (https://platform.openai.com/docs/guides/error-codes) names quota, rate limit and server errors apart; agents give up at
 * `insufficient_quota`, shorten or mend at `invalid_request_error`, and try again at `rate_limit_error` and `server_error`.
 */
import type { FailureDetails, Metadata, Problem } from '../../base/problem.js';
import type { Reason } from '../../base/reasons.js';

export type OpenAiErrorType =
  | 'authentication_error'
  | 'insufficient_quota'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'permission_error'
  | 'rate_limit_error'
  | 'server_error';

/** What a client of OpenAI's API reads of an error beside its code and message. */
export interface ErrorWords {
  readonly type: OpenAiErrorType;
  /** Path of the member of the request that it is about; null = of none, or not known. */
  readonly param: string | null;
}

/** By reason. What a provider refuses the gateway for is the gateway's failure, never the caller's key or quota. */
export const ERROR_TYPES: Readonly<Record<Reason, OpenAiErrorType>> = {
  invalid_request: 'invalid_request_error',
  context_length_exceeded: 'invalid_request_error',
  unknown_model: 'invalid_request_error',
  content_filter: 'invalid_request_error',
  run_limit_raised: 'invalid_request_error',
  upstream_invalid_request: 'invalid_request_error',
  missing_authentication: 'authentication_error',
  invalid_api_key: 'authentication_error',
  conflicting_credentials: 'authentication_error',
  api_key_disabled: 'authentication_error',
  account_closed: 'authentication_error',
  api_key_expired: 'authentication_error',
  insufficient_credits: 'insufficient_quota',
  permission_denied: 'permission_error',
  key_limit_exceeded: 'insufficient_quota',
  guardrail_budget_exceeded: 'insufficient_quota',
  workspace_budget_exceeded: 'insufficient_quota',
  run_limit_exceeded: 'insufficient_quota',
  end_user_limit_exceeded: 'insufficient_quota',
  region_not_allowed: 'permission_error',
  not_found: 'not_found_error',
  no_receipt: 'not_found_error',
  unknown_path: 'not_found_error',
  not_offered: 'not_found_error',
  no_endpoint: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  request_timeout: 'server_error',
  already_exists: 'invalid_request_error',
  in_use: 'invalid_request_error',
  not_finished: 'invalid_request_error',
  body_too_large: 'invalid_request_error',
  unsupported_media_type: 'invalid_request_error',
  unsupported_encoding: 'invalid_request_error',
  unknown_host: 'invalid_request_error',
  upgrade_required: 'invalid_request_error',
  limit_reserved: 'rate_limit_error',
  too_many_runs: 'rate_limit_error',
  rate_limited: 'rate_limit_error',
  upstream_rate_limited: 'rate_limit_error',
  headers_too_large: 'invalid_request_error',
  client_closed: 'invalid_request_error',
  internal: 'server_error',
  upstream_credential_refused: 'server_error',
  upstream_quota_exhausted: 'server_error',
  upstream_failed: 'server_error',
  not_ready: 'server_error',
  database_unavailable: 'server_error',
  shutting_down: 'server_error',
};

export function errorWords({
  reason,
  violations,
  metadata,
}: Pick<FailureDetails, 'reason' | 'violations' | 'metadata'>): ErrorWords {
  const type = ERROR_TYPES[reason];
  if (reason === 'context_length_exceeded') return { type, param: 'messages' };
  return { type, param: violations[0]?.field || providerParam(metadata) };
}

/** By OpenAI's word for an error. */
const BROKEN_STREAM_TYPES: Readonly<Record<OpenAiErrorType, string>> = {
  authentication_error: 'authentication',
  insufficient_quota: 'payment_required',
  invalid_request_error: 'invalid_request',
  not_found_error: 'not_found',
  permission_error: 'permission_denied',
  rate_limit_error: 'rate_limit_exceeded',
  server_error: 'server',
};

/**
 * OpenRouter's word for what broke a stream. Its SDKs refuse a last chunk whose metadata lack it
 * (https://openrouter.ai/docs/api_reference/errors-and-debugging#mid-stream-errors, npm @openrouter/sdk 1.3.19; 2026-11-26).
 */
export function brokenStreamType({ reason, httpStatus }: Pick<Problem, 'reason' | 'httpStatus'>): string {
  return httpStatus === BAD_GATEWAY ? 'provider_unavailable' : BROKEN_STREAM_TYPES[ERROR_TYPES[reason]];
}

const BAD_GATEWAY = 502;

/** The member that a provider names. */
function providerParam({ provider_error }: Metadata): string | null {
  const isSaid = typeof provider_error === 'object' && provider_error !== null && 'param' in provider_error;
  return isSaid && typeof provider_error.param === 'string' ? provider_error.param : null;
}
