import { describe, expect, it } from 'vitest';
import { FILTERED_PROMPT, RATE_LIMITED } from '../../support/fakes/fake-azure/errors.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { azureCall, deployment, resource, startAzureAdapter, startAzureTable } from './adapter.fixture.js';

const CANARY = 'canaryQ7-0123456789abcdef0123456789';

async function failureOf(
  plan: FakePlan,
  options: Parameters<Awaited<ReturnType<typeof startAzureTable>>['complete']>[0] = {},
) {
  const { complete, stream } = await startAzureTable(plan);
  const whole = await complete(options).catch((thrown: unknown) => thrown);
  const { thrown } = await stream(options);
  expect(thrown).toMatchObject({ ...(whole as object) });
  return thrown;
}

describe('what an error response means', () => {
  it.each<[string, FakePlan, object]>([
    [
      'a filtered prompt ends the plan',
      FILTERED_PROMPT,
      { kind: 'content_filter', status: 400, message: expect.stringMatching(/^The response was filtered/) },
    ],
    [
      'a rate limit, with the day that it asks to wait',
      { ...RATE_LIMITED, headers: { 'retry-after': '86400', 'retry-after-ms': '86400000' } },
      { kind: 'rate_limit', status: 429, retryAfterMs: 86_400_000 },
    ],
    [
      'a rate limit in milliseconds',
      { ...RATE_LIMITED, headers: { 'retry-after': '2', 'retry-after-ms': '1500' } },
      { kind: 'rate_limit', retryAfterMs: 1500 },
    ],
    [
      'a network that is not let in',
      {
        status: 403,
        body: { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } },
      },
      { kind: 'auth', status: 403, message: 'Access denied due to Virtual Network/Firewall rules.' },
    ],
    [
      'trouble',
      { status: 500, body: { error: { code: 'InternalServerError' } } },
      { kind: 'upstream_error', status: 500 },
    ],
    [
      'a timeout of its own',
      { status: 408, body: { error: { code: 'Timeout' } } },
      { kind: 'upstream_error', status: 408 },
    ],
    [
      'a refusal of a proxy',
      { status: 401, body: { statusCode: 401, message: 'Access denied due to missing subscription key.' } },
      { kind: 'auth', status: 401, message: 'Access denied due to missing subscription key.' },
    ],
  ])('%s', async (_, plan, failure) => {
    expect(await failureOf(plan)).toMatchObject(failure);
  });

  it('a wrong key', async () => {
    const failure = await failureOf({}, { credential: resource({ apiKey: 'wrong' }) });
    expect(failure).toMatchObject({
      kind: 'auth',
      status: 401,
      message: expect.stringMatching(/^Access denied/),
    });
  });

  it('a deployment that is not there', async () => {
    const { fake, complete } = await startAzureTable();
    const call = azureCall(fake.baseUrl);
    const endpoint = { ...call.endpoint, upstreamModelId: 'nothing' };
    await expect(
      startAzureAdapter().complete({ ...call, endpoint, body: { ...call.body, model: 'nothing' } }),
    ).rejects.toMatchObject({
      kind: 'invalid_request',
      status: 404,
      message: expect.stringMatching(/^The API deployment for this resource does not exist/),
    });
    await expect(complete()).resolves.toBeDefined();
  });

  it('a path that is not there', async () => {
    const endpointUrl = 'https://r.openai.azure.com/elsewhere/chat/completions?api-version=2024-10-21';
    const failure = await failureOf({}, { credential: deployment({ endpointUrl }) });
    expect(failure).toMatchObject({ kind: 'invalid_request', status: 404, message: 'Resource not found' });
  });

  it('an error in the middle of a stream', async () => {
    const { stream } = await startAzureTable({ chunks: [FILTERED_PROMPT.body] });
    expect((await stream()).thrown).toMatchObject({ kind: 'content_filter', status: 400 });
  });
});

describe('no failure contains any part of a credential', () => {
  const echo = { error: { code: '401', message: `Wrong api-key ${CANARY}: "${CANARY}"` } };

  it.each<[string, FakePlan]>([
    ['refused', {}],
    ['refused with an echo', { status: 401, body: echo }],
    ['refused in plain words', { status: 400, body: `no ${CANARY}` }],
    ['refused within the answer', { answer: echo, chunks: [echo] }],
    ['reset', { reset: true }],
    ['malformed', { answer: CANARY, chunks: ['{'] }],
    ['cut', { cutAfterBytes: 5 }],
  ])('%s', async (_, plan) => {
    for (const credential of [resource({ apiKey: CANARY }), deployment({ apiKey: CANARY })]) {
      const failure = await failureOf(plan, { credential });
      expect(failure).toBeInstanceOf(Error);
      const { message, stack, cause } = failure as Error;
      expect([message, stack, JSON.stringify(failure), String(cause)].join()).not.toContain('canaryQ7');
    }
  });

  it('unreachable', async () => {
    const call = azureCall('http://127.0.0.1:1', { credential: resource({ apiKey: CANARY }) });
    const failure = await startAzureAdapter()
      .complete(call)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      error: 'connect',
      message: 'No connection to the provider could be made',
    });
    expect(JSON.stringify(failure)).not.toContain('canaryQ7');
  });
});

describe('a host that a credential names (no private addresses)', () => {
  const PATH = '/openai/deployments/prod/chat/completions?api-version=2024-10-21';

  it.each(['127.0.0.1', 'localhost', '[::1]'])('is checked when connecting: %s', async (host) => {
    const { fake } = await startAzureTable();
    const endpointUrl = `http://${host}:${new URL(fake.baseUrl).port}${PATH}`;
    const call = azureCall(null, { credential: deployment({ endpointUrl }) });
    await expect(startAzureAdapter().complete(call)).rejects.toMatchObject({
      kind: 'upstream_error',
      error: 'connect',
      cause: { code: 'EPRIVATE' },
    });
    expect(fake.connections).toBe(0);
  });

  it('is not checked where the operator names the host', async () => {
    const { fake, complete } = await startAzureTable();
    await complete({ credential: deployment({ endpointUrl: `https://10.0.0.1${PATH}` }) });
    expect(fake.requests).toHaveLength(1);
  });
});
