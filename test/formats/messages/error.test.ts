import { expect, it } from 'vitest';
import { invalid, Problem, type Reason } from '../../../src/base/problem.js';
import { REASONS } from '../../../src/base/reasons.js';
import { messagesError } from '../../../src/formats/messages/transport/error.js';

it.each<[Reason, number, string]>([
  ['invalid_request', 400, 'invalid_request_error'],
  ['content_filter', 400, 'invalid_request_error'],
  ['upstream_invalid_request', 400, 'invalid_request_error'],
  ['unknown_model', 404, 'not_found_error'],
  ['invalid_api_key', 401, 'authentication_error'],
  ['insufficient_credits', 402, 'billing_error'],
  ['key_limit_exceeded', 402, 'billing_error'],
  ['guardrail_budget_exceeded', 402, 'billing_error'],
  ['workspace_budget_exceeded', 402, 'billing_error'],
  ['permission_denied', 403, 'permission_error'],
  ['region_not_allowed', 400, 'invalid_request_error'],
  ['no_endpoint', 400, 'invalid_request_error'],
  ['unknown_path', 404, 'not_found_error'],
  ['method_not_allowed', 405, 'invalid_request_error'],
  ['request_timeout', 408, 'timeout_error'],
  ['in_use', 409, 'conflict_error'],
  ['body_too_large', 413, 'request_too_large'],
  ['unsupported_media_type', 415, 'invalid_request_error'],
  ['rate_limited', 429, 'rate_limit_error'],
  ['upstream_rate_limited', 429, 'rate_limit_error'],
  ['internal', 500, 'api_error'],
  ['upstream_failed', 529, 'overloaded_error'],
  ['database_unavailable', 503, 'overloaded_error'],
])('%s is %i %s', (reason, status, type) => {
  expect(messagesError(new Problem(reason, 'It failed'), 'req-1')).toEqual({
    status,
    body: { type: 'error', error: { type, message: 'It failed', metadata: { reason } }, request_id: 'req-1' },
  });
});

it('only a key of another kind is 403, which clients take for a dead login', () => {
  const reasons = Object.keys(REASONS) as Reason[];
  const forbidden = reasons.filter(
    (reason) => messagesError(new Problem(reason, 'It failed'), 'req-1').status === 403,
  );
  expect(forbidden).toEqual(['permission_denied']);
});

it('an error tells what the gateway knows beside what Anthropic’s clients read', () => {
  const violations = [{ field: 'max_tokens', rule: 'range', message: 'must be at least 1' }];
  expect(messagesError(invalid(violations), 'req-2').body).toEqual({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'max_tokens: must be at least 1',
      metadata: { reason: 'invalid_request', violations },
    },
    request_id: 'req-2',
  });
});
