import { describe, expect, it, vi } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { countAdmitted, forAccount, type MoneyGateway } from '../../support/money.js';
import { addKey, CAPACITIES, type Capacity, hear, MODES, startProviders } from '../../support/providers.js';
import { bodyOf, recordOf, send } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';
import { openStreams } from './streams.fixture.js';

/** Its stream begins, and then nothing more comes. */
const SLOW: FakePlan = { stallAfter: 2 };
const ALPHA = { provider: { only: ['alpha'] } };
const HELLO = [{ role: 'user', content: 'Hello there' }];

/** A gateway whose model `test/m` never ends at `alpha`, nor goes on there without its client, and another account of it. */
async function startSlow(capacity: Capacity, env: Readonly<Record<string, string>> = {}) {
  const gateway = await startProviders(capacity, {
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ON_DISCONNECT: 'cancel', ...env },
  });
  gateway.alpha.plan('m', SLOW);
  const other = forAccount(gateway, await gateway.addAccount());
  if (capacity === 'BYOK keys') await addKey(other, 'alpha', FAKE_API_KEY);
  return { gateway, other };
}

async function holdOne(gateway: MoneyGateway) {
  const streams = openStreams(gateway, gateway.apiKey, 1, { model: 'test/m', ...ALPHA });
  await waitFor(() => expect(streams.begun).toBe(1));
  return streams;
}

describe.each(CAPACITIES)('over %s, 1,100 streams of one account that never end', (capacity) => {
  it('keep no other account from its answer, of either kind and either API', {
    timeout: 150_000,
  }, async () => {
    const { gateway, other } = await startSlow(capacity);
    const streams = openStreams(gateway, gateway.apiKey, 1_100, {
      ...{ model: 'test/m', max_tokens: 5, ...ALPHA },
    });
    await vi.waitFor(() => expect(streams.begun).toBeGreaterThanOrEqual(1_024), 100_000);
    const startedAt = performance.now();
    for (const mode of MODES) {
      const heard = hear(await other.chat('test/n', { ...ALPHA, stream: mode === 'streamed' }));
      expect([heard.status, heard.error]).toEqual([200, null]);
    }
    const message = { model: 'test/n', max_tokens: 10, messages: HELLO, ...ALPHA };
    expect((await other.use('POST', '/messages', message)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

it('streams with an account’s own keys leave shared capacity to it and to others', async () => {
  const { gateway, other } = await startSlow('shared capacity', { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1' });
  await addKey(other, 'alpha', FAKE_API_KEY);
  await holdOne(other);
  await holdOne(gateway);
  const heard = hear(await other.chat('test/n', ALPHA));
  expect([heard.status, heard.usage?.is_byok]).toEqual([200, false]);
  expect(recordOf(await other.manage('GET', `/generation?id=${heard.id}`))).toMatchObject({
    provider_responses: [
      { is_byok: true, error: 'in_flight_limit' },
      { is_byok: false, status: 200 },
    ],
  });
  const third = forAccount(gateway, await gateway.addAccount());
  expect((await third.chat('test/n', ALPHA)).status).toBe(200);
});

describe('an account that has all it may have in flight', () => {
  const ONE = { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1' };
  const SOON = { provider: { only: ['alpha'], timeouts_ms: { first_byte: 300, total: 300 } } };

  it.each(MODES)('waits for its timeout, is told to come again, and nobody is to blame: %s', async (mode) => {
    const { gateway } = await startSlow('shared capacity', ONE);
    const streams = await holdOne(gateway);
    const sent = gateway.alpha.requests.length;
    const heard = hear(await gateway.chat('test/n', { ...SOON, stream: mode === 'streamed' }));
    expect(heard).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      error: {
        code: 429,
        metadata: {
          reason: 'rate_limited',
          provider_responses: [{ provider: 'alpha', status: null, error: 'in_flight_limit' }],
        },
      },
    });
    expect(heard.error?.message).toContain('in flight');
    expect(gateway.alpha.requests.length).toBe(sent);
    const id = String(heard.error?.metadata?.generation_id);
    expect(recordOf(await gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
      finish_reason: 'error',
      provider_responses: [{ error: 'in_flight_limit' }],
    });
    streams.close();
    await waitFor(async () => expect((await gateway.chat('test/n', SOON)).status).toBe(200));
    const route = await gateway.use('POST', '/routing/explain', { model: 'test/n', ...ALPHA });
    expect(recordOf(route)).toMatchObject({ attempts: [{ health: { state: 'ok' } }] });
  });

  it('is refused in the words of each API', async () => {
    const { gateway } = await startSlow('shared capacity', ONE);
    await holdOne(gateway);
    const body = { model: 'test/n', max_tokens: 10, messages: HELLO, ...SOON };
    const message = await gateway.use('POST', '/messages', body);
    expect([message.status, message.headers['retry-after'], bodyOf(message)]).toEqual([
      429,
      '5',
      expect.objectContaining({
        type: 'error',
        error: expect.objectContaining({ type: 'rate_limit_error' }),
      }),
    ]);
    const chat = {
      model: 'test/n',
      messages: [{ role: 'user', content: { text: 'Hello there' } }],
      provider: { only: { values: ['alpha'] }, timeoutsMs: { total: 300 } },
    };
    const rpc = await send(`${gateway.url}/byway.v1.ChatService/CreateChatCompletion`, 'POST', {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      body: { chat },
    });
    expect([rpc.status, bodyOf(rpc)]).toEqual([429, expect.objectContaining({ code: 'resource_exhausted' })]);
  });

  it('is served by the next attempt of its plan at once, where there is one', async () => {
    const { gateway } = await startSlow('shared capacity', ONE);
    await holdOne(gateway);
    const startedAt = performance.now();
    const heard = hear(await gateway.chat('test/n'));
    expect([heard.status, heard.provider]).toEqual([200, 'beta']);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(recordOf(await gateway.manage('GET', `/generation?id=${heard.id}`))).toMatchObject({
      provider_responses: [
        { provider: 'alpha', error: 'in_flight_limit' },
        { provider: 'beta', status: 200 },
      ],
    });
  });

  it('gets the place of what ends, and who left while waiting gets none', async () => {
    const { gateway } = await startSlow('shared capacity', ONE);
    const first = await holdOne(gateway);
    const admitted = countAdmitted(gateway);
    const left = openStreams(gateway, gateway.apiKey, 1, { model: 'test/m', ...ALPHA });
    await waitFor(() => expect(admitted()).toBe(1));
    const waiting = gateway.chat('test/n', ALPHA);
    left.close();
    first.close();
    expect((await waiting).status).toBe(200);
    expect(left.begun).toBe(0);
  });
});

describe('a place comes back after', () => {
  it.each<[string, FakePlan, object]>([
    ['an answer', {}, {}],
    ['a refusal', { status: 400, body: { error: { message: 'no' } } }, {}],
    ['a failure', { status: 500, body: 'no' }, {}],
    ['a broken connection', { reset: true }, {}],
    ['an answer that is cut', { cutAfterBytes: 20 }, {}],
    ['an answer that ends early', { endAfterBytes: 40 }, {}],
    ['an answer that is none', { body: 'nonsense', status: 200 }, {}],
    ['a timeout', { stallAfter: 0 }, { timeouts_ms: { total: 200, first_byte: 200 } }],
  ])('%s', async (_, plan, more) => {
    const { gateway } = await startSlow('shared capacity', { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1' });
    for (const stream of [false, true]) {
      gateway.alpha.plan('n', plan);
      await gateway.chat('test/n', { stream, provider: { only: ['alpha'], adapt: false, ...more } });
      gateway.alpha.plan('n', {});
      const next = { stream, provider: { only: ['alpha'], timeouts_ms: { total: 7_000 } } };
      expect((await gateway.chat('test/n', next)).status).toBe(200);
    }
  });

  it('a stream that ends before its connection does', async () => {
    const { gateway } = await startSlow('shared capacity', { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1' });
    gateway.alpha.plan('n', { isLeftOpen: true });
    expect((await gateway.chat('test/n', { stream: true, ...ALPHA })).status).toBe(200);
    gateway.alpha.plan('n', {});
    expect((await gateway.chat('test/n', ALPHA)).status).toBe(200);
  });

  it('a client that leaves', async () => {
    const { gateway } = await startSlow('shared capacity', { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '1' });
    for (let round = 0; round < 5; round += 1) (await holdOne(gateway)).close();
    expect((await gateway.chat('test/n', ALPHA)).status).toBe(200);
  });
});
