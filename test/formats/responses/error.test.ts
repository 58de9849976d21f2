import { describe, expect, it } from 'vitest';
import { invalid, Problem } from '../../../src/base/problem.js';
import { REASONS, type Reason } from '../../../src/base/reasons.js';
import {
  responsesError,
  responsesErrorAnswer,
  streamError,
} from '../../../src/formats/responses/transport/error.js';

const QUOTA = [429, 'insufficient_quota', 'insufficient_quota'] as const;
const LIMITED = [429, 'rate_limit_error', 'rate_limit_exceeded'] as const;

/** Status, type and code of every reason. */
const EXPECTED: Readonly<Record<Reason, readonly [number, string, string]>> = {
  invalid_request: [400, 'invalid_request_error', 'invalid_value'],
  context_length_exceeded: [400, 'invalid_request_error', 'context_length_exceeded'],
  unknown_model: [400, 'invalid_request_error', 'model_not_found'],
  content_filter: [400, 'invalid_request_error', 'invalid_prompt'],
  upstream_invalid_request: [400, 'invalid_request_error', 'invalid_value'],
  run_limit_raised: [400, 'invalid_request_error', 'run_limit_raised'],
  missing_authentication: [401, 'authentication_error', 'missing_authentication'],
  invalid_api_key: [401, 'authentication_error', 'invalid_api_key'],
  conflicting_credentials: [401, 'authentication_error', 'conflicting_credentials'],
  api_key_disabled: [401, 'authentication_error', 'api_key_disabled'],
  account_closed: [401, 'authentication_error', 'account_closed'],
  api_key_expired: [401, 'authentication_error', 'api_key_expired'],
  insufficient_credits: QUOTA,
  run_limit_exceeded: QUOTA,
  permission_denied: [403, 'permission_error', 'permission_denied'],
  key_limit_exceeded: QUOTA,
  guardrail_budget_exceeded: QUOTA,
  workspace_budget_exceeded: QUOTA,
  end_user_limit_exceeded: QUOTA,
  region_not_allowed: [400, 'invalid_request_error', 'region_not_allowed'],
  not_found: [404, 'not_found_error', 'not_found'],
  no_receipt: [404, 'not_found_error', 'no_receipt'],
  unknown_path: [404, 'not_found_error', 'unknown_path'],
  not_offered: [404, 'not_found_error', 'not_offered'],
  no_endpoint: [400, 'invalid_request_error', 'no_endpoint'],
  method_not_allowed: [405, 'invalid_request_error', 'method_not_allowed'],
  request_timeout: [408, 'server_error', 'server_error'],
  already_exists: [409, 'invalid_request_error', 'already_exists'],
  in_use: [409, 'invalid_request_error', 'in_use'],
  not_finished: [409, 'invalid_request_error', 'not_finished'],
  body_too_large: [413, 'invalid_request_error', 'body_too_large'],
  upgrade_required: [426, 'invalid_request_error', 'upgrade_required'],
  unsupported_media_type: [415, 'invalid_request_error', 'unsupported_media_type'],
  unsupported_encoding: [415, 'invalid_request_error', 'unsupported_encoding'],
  unknown_host: [421, 'invalid_request_error', 'unknown_host'],
  limit_reserved: LIMITED,
  too_many_runs: LIMITED,
  rate_limited: LIMITED,
  upstream_rate_limited: LIMITED,
  headers_too_large: [431, 'invalid_request_error', 'headers_too_large'],
  client_closed: [499, 'invalid_request_error', 'client_closed'],
  internal: [500, 'server_error', 'server_error'],
  upstream_credential_refused: [502, 'server_error', 'server_error'],
  upstream_quota_exhausted: [502, 'server_error', 'server_error'],
  upstream_failed: [502, 'server_error', 'server_error'],
  not_ready: [503, 'server_error', 'server_error'],
  database_unavailable: [503, 'server_error', 'server_error'],
  shutting_down: [503, 'server_error', 'server_error'],
};

const ALL = Object.keys(REASONS) as Reason[];
const SPENT = ALL.filter((reason) => EXPECTED[reason] === QUOTA);

function bodyOf(problem: Problem) {
  const { status, body } = responsesErrorAnswer(problem);
  return { status, ...JSON.parse(body) };
}

describe('an error', () => {
  it.each(ALL)('%s has OpenAI’s words', (reason) => {
    const [status, type, code] = EXPECTED[reason];
    expect(bodyOf(new Problem(reason, 'It failed'))).toEqual({
      status,
      error: {
        ...{ type, code, message: 'It failed', metadata: { reason } },
        param: reason === 'context_length_exceeded' ? 'input' : null,
      },
    });
  });

  it.each(SPENT)('%s that resets says when, in Unix seconds', (reason) => {
    const metadata = { resets_at: '2026-12-01T00:00:00.000Z' };
    expect(bodyOf(new Problem(reason, 'Spent', { metadata }))).toEqual({
      status: 429,
      error: {
        ...{ type: 'usage_limit_reached', code: 'usage_limit_reached', message: 'Spent', param: null },
        ...{ resets_at: Date.parse('2026-12-01') / 1000, metadata: { reason, ...metadata } },
      },
    });
  });

  it('that only waits for reservations is a rate limit, whenever its limit resets', () => {
    const problem = new Problem('limit_reserved', 'Wait', {
      metadata: { resets_at: '2026-12-01T00:00:00Z' },
    });
    expect(responsesError(problem).error).not.toHaveProperty('resets_at');
  });

  it.each([
    ['required', 'missing_required_parameter'],
    ['unknown', 'unknown_parameter'],
    ['unsupported', 'unsupported_parameter'],
    ['range', 'invalid_value'],
  ])('for the rule %s is %s, about the first member', (rule, code) => {
    const violations = [
      { field: 'input', rule, message: 'is wrong' },
      { field: 'top_p', rule: 'range', message: 'is wrong' },
    ];
    expect(bodyOf(invalid(violations)).error).toMatchObject({
      ...{ type: 'invalid_request_error', code, param: 'input' },
      ...{ message: 'input: is wrong; top_p: is wrong', metadata: { reason: 'invalid_request', violations } },
    });
  });

  it('of a provider’s refusal has the provider’s code and member', () => {
    const provider_error = { code: 'unsupported_value', type: 'invalid_request_error', param: 'temperature' };
    const problem = new Problem('upstream_invalid_request', 'No', { metadata: { provider_error } });
    expect(bodyOf(problem).error).toMatchObject({ code: 'unsupported_value', param: 'temperature' });
  });

  it('of a native refusal is the provider’s own', () => {
    const provider_answer = { status: 422, body: '{"error":{"message":"no"}}' };
    const problem = new Problem('upstream_invalid_request', 'no', { metadata: { provider_answer } });
    expect(responsesErrorAnswer(problem)).toEqual(provider_answer);
  });
});

describe('an error within a stream', () => {
  it.each([
    ['content_filter', 'invalid_prompt'],
    ['upstream_invalid_request', 'invalid_prompt'],
    ['context_length_exceeded', 'context_length_exceeded'],
    ['upstream_failed', 'server_error'],
    ['internal', 'server_error'],
    ['shutting_down', 'server_error'],
  ] as const)('%s is %s, by which clients know whether to try again', (reason, code) => {
    expect(streamError(new Problem(reason, 'It failed'))).toMatchObject({ code, message: 'It failed' });
  });

  it('of a rate limit says how long to wait in the words that Codex reads', () => {
    const problem = new Problem('upstream_rate_limited', 'Slow down', { retryAfterSeconds: 7 });
    expect(streamError(problem, problem.retryAfterSeconds)).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'Slow down. Please try again in 7s.',
    });
  });
});
