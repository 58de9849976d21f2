import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportedFailure, responseFailure } from '../../../src/providers/openai/host/error-response.js';
import { NOW } from '../../support/chat.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { chunk, startTable } from './adapter.fixture.js';

function refusal(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return responseFailure({ status, headers, text }, NOW);
}

const error = (message: string, type: string | null, code: unknown = null) => ({
  error: { message, type, param: null, code },
});

describe('what an error status means', () => {
  it.each([
    [400, error('too long', 'invalid_request_error', 'context_length_exceeded'), 'invalid_request'],
    [401, error('bad key', 'invalid_request_error', 'invalid_api_key'), 'auth'],
    [402, error('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'quota'],
    [403, error('country', 'request_forbidden', 'unsupported_country_region_territory'), 'auth'],
    [404, error('no model', 'invalid_request_error', 'model_not_found'), 'invalid_request'],
    [408, error('slow', 'timeout'), 'upstream_error'],
    [413, error('big', 'invalid_request_error'), 'invalid_request'],
    [422, { detail: [] }, 'invalid_request'],
    [429, error('limit', 'tokens', 'rate_limit_exceeded'), 'rate_limit'],
    [429, error('quota', 'insufficient_quota', 'insufficient_quota'), 'quota'],
    [498, error('capacity', 'flex'), 'upstream_error'],
    [500, error('oops', 'server_error'), 'upstream_error'],
    [503, error('slow down', 'server_error', 'slow_down'), 'upstream_error'],
    [529, error('overloaded', 'overloaded_error'), 'rate_limit'],
    [307, '', 'upstream_error'],
    [400, error('filtered', 'invalid_request_error', 'content_filter'), 'content_filter'],
    [
      400,
      { error: { message: 'x', code: 'other', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
      'content_filter',
    ],
    [400, error('policy', 'image_generation_user_error', 'content_policy_violation'), 'content_filter'],
  ])('%i %j: %s', (status, body, kind) => {
    expect(refusal(status, body)).toMatchObject({ status, kind, error: null });
  });

  it.each([
    ['the usual shape', error('said', 'x'), 'said'],
    ['a bare error', { error: 'said' }, 'said'],
    ['Mistral', { object: 'error', message: 'said', type: 'rate_limited', code: '1300' }, 'said'],
    [
      'Mistral, of what is wrong with a request',
      { object: 'error', message: { detail: [{ type: 'extra', loc: ['body', 'x'], msg: 'said' }] } },
      'body.x: said',
    ],
    ['FastAPI', { detail: 'said' }, 'said'],
    ['FastAPI, a list', { detail: [{ loc: ['body', 'n'], msg: 'a' }, { msg: 'b' }] }, 'body.n: a; b'],
    [
      'Google, a list of one',
      [{ error: { code: 429, message: 'said', status: 'RESOURCE_EXHAUSTED' } }],
      'said',
    ],
    ['xAI', { code: 'Client specified an invalid argument', error: 'said' }, 'said'],
    ['a message alone', { message: 'said' }, 'said'],
    ['a JSON text', '"said"', 'said'],
    ['a plain text', 'said\n', 'said'],
    ['a page', '<html>said</html>', 'The provider answered with status 400'],
    ['nothing', '', 'The provider answered with status 400'],
    ['an empty object', {}, 'The provider answered with status 400'],
    ['cut JSON', '{"error":{"message":"sa', 'The provider answered with status 400'],
    ['numbers', { error: { message: 7 } }, 'The provider answered with status 400'],
  ])('takes the message out of %s', (_, body, message) => {
    expect(refusal(400, body).message).toBe(message);
  });

  it('never repeats the key, however a provider echoes it', async () => {
    const echoed = error(`Incorrect API key provided: ${FAKE_API_KEY}, "${FAKE_API_KEY}"`, 'auth');
    for (const plan of [
      { status: 401, body: echoed },
      { status: 401, body: `no ${FAKE_API_KEY}` },
      { answer: echoed, chunks: [echoed] },
    ]) {
      const { complete, stream } = await startTable(plan);
      const failures = [await complete().catch((thrown: unknown) => thrown), (await stream()).thrown];
      for (const failure of failures) {
        expect(failure).toMatchObject({ message: expect.stringContaining('[credential]') });
        expect(inspect(failure, { showHidden: true })).not.toContain(FAKE_API_KEY);
      }
    }
  });

  it('limits the length of messages', () => {
    expect(refusal(400, error('x'.repeat(5000), 'y')).message.length).toBeLessThanOrEqual(1000);
  });

  it('ignores the wait for an exhausted quota', () => {
    const headers = { 'retry-after': '86400' };
    expect(refusal(429, error('limit', 'tokens', 'rate_limit_exceeded'), headers).retryAfterMs).toBe(
      86_400_000,
    );
    for (const code of ['insufficient_quota', 'credit_balance_exhausted', 'enforced_spend_limit_reached']) {
      expect(refusal(429, error('quota', code, code), headers).retryAfterMs).toBeNull();
    }
  });
});

describe('a limit by the minute in the words of an empty account', () => {
  // https://github.com/hawkxtreme/mini-ai-1c/issues/23, https://help.aliyun.com/en/model-studio/rate-limit (2026-11-26)
  const said = (help: string) =>
    `You exceeded your current quota, please check your plan and billing details. For details, see: ${help}`;

  it.each([
    'https://help.aliyun.com/zh/model-studio/error-code#token-limit',
    'https://www.alibabacloud.com/help/x',
  ])('of Alibaba is a rate limit, and waits as long as it says: %s', (help) => {
    const failure = refusal(429, error(said(help), 'insufficient_quota', 'insufficient_quota'), {
      'retry-after': '3',
    });
    expect(failure).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3_000 });
  });

  it.each([
    [429, said('https://platform.openai.com/docs/guides/error-codes/api-errors.'), 'insufficient_quota'],
    // https://github.com/tencentmusic/supersonic/issues/1572
    [
      400,
      'Access denied, see: https://help.aliyun.com/zh/model-studio/error-code#overdue-payment',
      'Arrearage',
    ],
    [403, 'The free tier of the model has been exhausted.', 'AllocationQuota.FreeTierOnly'],
  ])('any other is an exhausted quota: %i %s', (status, message, code) => {
    expect(refusal(status, error(message, code, code))).toMatchObject({ kind: 'quota', retryAfterMs: null });
  });
});

describe('an error inside a successful answer', () => {
  it.each([
    [{ message: 'said', type: 'server_error', code: null }, 500, 'upstream_error'],
    [{ message: 'said', code: 429 }, 429, 'rate_limit'],
    [{ message: 'said', code: '503' }, 503, 'upstream_error'],
    [{ message: 'said', code: 'rate_limit_exceeded', type: 'tokens' }, 429, 'rate_limit'],
    [{ message: 'said', type: 'overloaded_error' }, 529, 'rate_limit'],
    [
      { message: 'said', type: 'invalid_request_error', code: 'context_length_exceeded' },
      400,
      'invalid_request',
    ],
    [{ message: 'said', code: 'content_filter' }, 400, 'content_filter'],
    [{ message: 'said', type: 'never heard of', code: 7 }, 500, 'upstream_error'],
    ['said', 500, 'upstream_error'],
  ])('%j has the status %i and is %s', async (told, status, kind) => {
    const failure = { status, kind, message: 'said' };
    expect(reportedFailure(told)).toMatchObject(failure);
    const streamed = await startTable({ chunks: [chunk({ content: 'Hi' }), { error: told }] });
    const { events, thrown } = await streamed.stream();
    expect(events).toHaveLength(1);
    expect(thrown).toMatchObject(failure);
    const { complete } = await startTable({ answer: { error: told } });
    await expect(complete()).rejects.toMatchObject(failure);
  });

  it('may come instead of a chunk', async () => {
    const { stream } = await startTable({ chunks: [{ object: 'error', message: 'said', code: 400 }] });
    expect((await stream()).thrown).toMatchObject({ status: 400, message: 'said' });
  });
});

describe('an error response over the network', () => {
  it.each(['complete', 'stream'] as const)('fails with its message, status and wait, %s', async (mode) => {
    const body = error('Rate limit reached', 'requests', 'rate_limit_exceeded');
    const table = await startTable({ status: 429, body, headers: { 'retry-after-ms': '1500' } });
    const pending =
      mode === 'stream' ? table.stream().then(({ thrown }) => Promise.reject(thrown)) : table.complete();
    await expect(pending).rejects.toMatchObject({
      kind: 'rate_limit',
      status: 429,
      retryAfterMs: 1500,
      message: 'Rate limit reached',
    });
  });

  it('is read up to a limit, even if it never ends', async () => {
    const page = '<html>'.padEnd(100_000, 'x');
    const { complete } = await startTable({ status: 502, body: page, isLeftOpen: true });
    await expect(complete()).rejects.toMatchObject({
      status: 502,
      message: 'The provider answered with status 502',
    });
  });

  it('follows no redirect, and takes the key nowhere', async () => {
    const other = await startTable();
    const { fake, complete } = await startTable({
      status: 307,
      headers: { location: `${other.fake.baseUrl}/chat/completions` },
    });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', status: 307 });
    expect(fake.requests).toHaveLength(1);
    expect(other.fake.requests).toHaveLength(0);
  });

  it.each([
    ['HTML', '<html></html>'],
    ['a list', []],
    ['no choices', { id: 'x' }],
    ['a choice without a message', { choices: [{ index: 0 }] }],
  ])('an answer of %s is malformed', async (_, answer) => {
    const { complete } = await startTable({ answer });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', error: 'malformed' });
  });
});
