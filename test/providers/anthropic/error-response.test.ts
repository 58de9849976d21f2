import { describe, expect, it } from 'vitest';
import { reportedFailure, responseFailure } from '../../../src/providers/anthropic/host/error-response.js';
import { NOW } from '../../support/chat.js';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-anthropic.js';
import { startTable } from './adapter.fixture.js';

const ERRORS = [
  [400, 'invalid_request_error', 'invalid_request'],
  [401, 'authentication_error', 'auth'],
  [402, 'billing_error', 'quota'],
  [403, 'permission_error', 'auth'],
  [404, 'not_found_error', 'invalid_request'],
  [409, 'conflict_error', 'upstream_error'],
  [413, 'request_too_large', 'invalid_request'],
  [429, 'rate_limit_error', 'rate_limit'],
  [500, 'api_error', 'upstream_error'],
  [504, 'timeout_error', 'upstream_error'],
  [529, 'overloaded_error', 'rate_limit'],
] as const;

function refusal(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return responseFailure({ status, headers, text }, NOW);
}

describe('errors', () => {
  it.each(ERRORS)('%i %s: %s, before an answer and in the middle of one', async (status, type, kind) => {
    const plan = error(status, type, 'said');
    const failure = { status, kind, message: 'said', error: null };
    const before = await startTable(plan);
    await expect(before.complete()).rejects.toMatchObject(failure);
    expect((await before.stream()).thrown).toMatchObject(failure);
    const within = await startTable({ events: [Object(plan.body)], answer: plan.body });
    await expect(within.complete()).rejects.toMatchObject(failure);
    expect(await within.stream()).toMatchObject({ events: [], thrown: failure });
  });

  it('of an unknown type are the provider’s failure', () => {
    const told = { type: 'error', error: { type: 'never heard of', message: 'said' } };
    expect(reportedFailure(told)).toMatchObject({ status: 500, kind: 'upstream_error' });
    expect(reportedFailure({ type: 'error' })).toMatchObject({ status: 500, kind: 'upstream_error' });
    expect(refusal(418, told)).toMatchObject({ status: 418, kind: 'upstream_error' });
  });

  it.each([
    ['Your credit balance is too low to access the Anthropic API.', undefined, 'quota'],
    [
      'You have reached your specified API usage limits. You will regain access on 2026-12-01.',
      undefined,
      'quota',
    ],
    ['No.', 'organization_on_hold', 'auth'],
  ])('of its account are the key’s failure: %s (%s)', (message, error_code, kind) => {
    const { body } = error(400, 'invalid_request_error', message, error_code ? { error_code } : undefined);
    expect(refusal(400, body)).toMatchObject({ kind, status: 400, message });
  });

  it('of its filter are told by words alone, before an answer and in the middle of one', () => {
    const { body } = error(400, 'invalid_request_error', 'Output blocked by content filtering policy');
    expect(refusal(400, body)).toMatchObject({ kind: 'content_filter', status: 400 });
    expect(reportedFailure(Object(body))).toMatchObject({ kind: 'content_filter', status: 400 });
  });

  it('takes the wait, but not for an exhausted limit', () => {
    const headers = { 'retry-after': '7' };
    const { body } = error(429, 'rate_limit_error', 'said');
    expect(refusal(429, body, headers).retryAfterMs).toBe(7000);
    expect(refusal(529, error(529, 'overloaded_error', 'said').body, headers).retryAfterMs).toBe(7000);
    expect(refusal(429, body).retryAfterMs).toBeNull();
    for (const error_code of ['enforced_spend_limit_reached', 'contract_spend_limit_reached']) {
      const spent = error(429, 'rate_limit_error', 'said', { error_code });
      expect(refusal(429, spent.body, headers)).toMatchObject({ kind: 'quota', retryAfterMs: null });
    }
    const ramp = error(429, 'rate_limit_error', 'said', { error_code: 'ramp_limit_exceeded' });
    expect(refusal(429, ramp.body, headers).retryAfterMs).toBe(7000);
  });

  it.each([
    ['the usual shape', error(400, 'x', 'said').body, 'said'],
    ['a bare error', { error: 'said' }, 'said'],
    ['no envelope', { type: 'x', message: 'said' }, 'said'],
    ['a proxy’s detail', { detail: 'said' }, 'said'],
    ['a plain text', 'said\n', 'said'],
    ['a page', '<html>said</html>', 'The provider answered with status 400'],
    ['nothing', '', 'The provider answered with status 400'],
    ['cut JSON', '{"error":{"message":"sa', 'The provider answered with status 400'],
    ['numbers', { error: { message: 7 } }, 'The provider answered with status 400'],
  ])('takes the message out of %s', (_, body, message) => {
    expect(refusal(400, body).message).toBe(message);
  });

  it('follows no redirect, and takes the key nowhere', async () => {
    const other = await startTable();
    const headers = { location: `${other.fake.baseUrl}/messages` };
    const { fake, complete } = await startTable({ status: 307, headers });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', status: 307 });
    expect(fake.requests).toHaveLength(1);
    expect(other.fake.requests).toHaveLength(0);
  });

  it.each([
    ['HTML', '<html></html>'],
    ['a list', []],
    ['no content', { id: 'x' }],
  ])('an answer of %s is malformed', async (_, answer) => {
    const { complete } = await startTable({ answer });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', error: 'malformed' });
  });
});

describe('a canary for a key', () => {
  const echo = `key "${FAKE_API_KEY}", ${FAKE_API_KEY}`;
  const PLANS: readonly [string, FakePlan][] = [
    ...ERRORS.map(([status, type]): [string, FakePlan] => [type, error(status, type, echo)]),
    ['a text', { status: 502, body: echo }],
    ['an event', { events: [Object(error(529, 'overloaded_error', echo).body)] }],
    ['an answer', { answer: error(500, 'api_error', echo).body }],
    ['no JSON', { events: [echo], answer: echo }],
    ['a reset', { reset: true }],
    ['a cut', { cutAfterBytes: 100 }],
  ];

  it.each(PLANS)('is in no failure, whatever is echoed: %s', async (_, plan) => {
    const { complete, stream } = await startTable(plan);
    const whole = await complete().catch((thrown: unknown) => thrown);
    const { thrown } = await stream();
    for (const failure of [whole, thrown]) {
      if (!(failure instanceof Error)) continue;
      expect(`${failure.stack} ${JSON.stringify(failure)} ${failure.cause}`).not.toContain(FAKE_API_KEY);
    }
    expect([whole, thrown].some((failure) => failure instanceof Error)).toBe(true);
  });

  it('that is wrong is reported without it', async () => {
    const apiKey = 'sk-ant-wrong-0123456789abcdef';
    const { complete } = await startTable();
    const failure = await complete({ apiKey }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ kind: 'auth', status: 401, message: 'invalid x-api-key' });
    expect(JSON.stringify(failure)).not.toContain(apiKey);
  });
});
