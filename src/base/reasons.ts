/** RPC status codes, by their Connect names (https://connectrpc.com/docs/protocol#error-codes). */
export type Code =
  | 'canceled'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'unauthenticated';

/**
 * Every reason for which a request can fail, with its code and HTTP status; see `docs/compatibility.md#error-reasons`.
 */
export const REASONS = {
  invalid_request: { code: 'invalid_argument', httpStatus: 400 },
  context_length_exceeded: { code: 'invalid_argument', httpStatus: 400 },
  unknown_model: { code: 'invalid_argument', httpStatus: 400 },
  content_filter: { code: 'invalid_argument', httpStatus: 400 },
  upstream_invalid_request: { code: 'invalid_argument', httpStatus: 400 },
  run_limit_raised: { code: 'failed_precondition', httpStatus: 400 },
  missing_authentication: { code: 'unauthenticated', httpStatus: 401 },
  invalid_api_key: { code: 'unauthenticated', httpStatus: 401 },
  conflicting_credentials: { code: 'unauthenticated', httpStatus: 401 },
  api_key_disabled: { code: 'unauthenticated', httpStatus: 401 },
  account_closed: { code: 'unauthenticated', httpStatus: 401 },
  api_key_expired: { code: 'unauthenticated', httpStatus: 401 },
  insufficient_credits: { code: 'failed_precondition', httpStatus: 402 },
  run_limit_exceeded: { code: 'failed_precondition', httpStatus: 402 },
  permission_denied: { code: 'permission_denied', httpStatus: 403 },
  key_limit_exceeded: { code: 'permission_denied', httpStatus: 403 },
  guardrail_budget_exceeded: { code: 'permission_denied', httpStatus: 403 },
  workspace_budget_exceeded: { code: 'permission_denied', httpStatus: 403 },
  end_user_limit_exceeded: { code: 'permission_denied', httpStatus: 403 },
  region_not_allowed: { code: 'permission_denied', httpStatus: 403 },
  not_found: { code: 'not_found', httpStatus: 404 },
  no_receipt: { code: 'not_found', httpStatus: 404 },
  unknown_path: { code: 'unimplemented', httpStatus: 404 },
  not_offered: { code: 'unimplemented', httpStatus: 404 },
  no_endpoint: { code: 'not_found', httpStatus: 404 },
  method_not_allowed: { code: 'unimplemented', httpStatus: 405 },
  request_timeout: { code: 'deadline_exceeded', httpStatus: 408 },
  already_exists: { code: 'already_exists', httpStatus: 409 },
  in_use: { code: 'failed_precondition', httpStatus: 409 },
  not_finished: { code: 'failed_precondition', httpStatus: 409 },
  body_too_large: { code: 'resource_exhausted', httpStatus: 413 },
  unsupported_media_type: { code: 'invalid_argument', httpStatus: 415 },
  unsupported_encoding: { code: 'unimplemented', httpStatus: 415 },
  unknown_host: { code: 'invalid_argument', httpStatus: 421 },
  upgrade_required: { code: 'unimplemented', httpStatus: 426 },
  limit_reserved: { code: 'resource_exhausted', httpStatus: 429 },
  too_many_runs: { code: 'resource_exhausted', httpStatus: 429 },
  rate_limited: { code: 'resource_exhausted', httpStatus: 429 },
  upstream_rate_limited: { code: 'resource_exhausted', httpStatus: 429 },
  headers_too_large: { code: 'resource_exhausted', httpStatus: 431 },
  client_closed: { code: 'canceled', httpStatus: 499 },
  internal: { code: 'internal', httpStatus: 500 },
  upstream_credential_refused: { code: 'failed_precondition', httpStatus: 502 },
  upstream_quota_exhausted: { code: 'failed_precondition', httpStatus: 502 },
  upstream_failed: { code: 'unavailable', httpStatus: 502 },
  not_ready: { code: 'unavailable', httpStatus: 503 },
  database_unavailable: { code: 'unavailable', httpStatus: 503 },
  shutting_down: { code: 'unavailable', httpStatus: 503 },
} as const satisfies Record<string, { code: Code; httpStatus: number }>;

/** Sent as `error.metadata.reason` and in `ErrorDetail.reason`. */
export type Reason = keyof typeof REASONS;
