/**
 * What is open when a draining gateway has waited long enough: each client is told in the words of its API that the gateway
 * ends, the record says so and not that the client has left, and the charge is that of an answer that was cut off.
 */
import http from 'node:http';
import { expect, it, vi } from 'vitest';
import {
  CALLS,
  type Call,
  originOf,
  type Scheme,
  settingsOf,
  TRANSPORTS,
  type Transport,
  VERSIONS,
} from '../support/clients/calls.js';
import { toldBy } from '../support/clients/told.js';
import { ANY_GENERATION } from '../support/generations.js';
import { expectSettled } from '../support/money.js';
import { CAPACITIES, type ProvidersGateway, startProviders, TOKEN_USD } from '../support/providers.js';

const DRAIN_MS = 300;
const WAIT = { timeout: 5_000, interval: 5 };

const MESSAGE = 'The gateway is shutting down';

/** Of what the provider has sent before it stalls, by its characters. */
const SENT_TOKENS = Math.ceil('Grüezi mitenand'.length / 4);

const send = (scheme: Scheme, gateway: ProvidersGateway, transport: Transport, call: Call) =>
  VERSIONS[transport === 'gRPC' ? 'HTTP/2' : 'HTTP/1.1'](originOf(scheme, gateway.url), call, gateway.apiKey);

/** What a client hears: `status` before an answer has begun is that of its API. */
const TOLD: Record<Transport, { readonly whole: number; readonly code: unknown }> = {
  REST: { whole: 503, code: 503 },
  Messages: { whole: 503, code: 'overloaded_error' },
  Responses: { whole: 503, code: 'server_error' },
  Connect: { whole: 503, code: 'unavailable' },
  gRPC: { whole: 200, code: '14' },
  'gRPC-Web': { whole: 200, code: '14' },
};

const CASES = CAPACITIES.flatMap((capacity) =>
  TRANSPORTS.flatMap((transport) => [false, true].map((isStreamed) => ({ capacity, transport, isStreamed }))),
);

it.each(CASES)(
  'with $capacity over $transport, streamed: $isStreamed, what is open at the end of the drain ends as shutting_down',
  async ({ capacity, transport, isStreamed }) => {
    const gateway = await startProviders(capacity, { env: { BYWAY_DRAIN_MS: String(DRAIN_MS) } });
    const { alpha } = gateway;
    alpha.plan('m', isStreamed ? { stallAfter: 3 } : { delayMs: 60_000 });
    const sent = send('http', gateway, transport, CALLS[transport](isStreamed));
    await vi.waitFor(() => expect(alpha.requests).toHaveLength(1), WAIT);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const from = performance.now();
    await gateway.drain.stop();
    expect(performance.now() - from).toBeGreaterThan(DRAIN_MS - 10);
    expect(performance.now() - from).toBeLessThan(DRAIN_MS + 2_000);
    const came = await sent.came;
    if (transport !== 'gRPC' && !isStreamed) expect(came.headers.connection).toBe('close');
    const { whole, code } = TOLD[transport];
    expect(toldBy(transport, isStreamed, came)).toEqual({
      status: isStreamed ? 200 : whole,
      code,
      message: MESSAGE,
      reason: 'shutting_down',
    });
    await vi.waitFor(() => expect(alpha.aborts).toBe(1), WAIT);
    const { stores } = gateway.gateway;
    const page = { offset: 0, limit: 10, after: null };
    const { generations } = await stores.generations.list(gateway.accountId, ANY_GENERATION, page);
    const tokens = isStreamed ? SENT_TOKENS : 0;
    const [{ usageNanoUsd = 0n, upstreamInferenceCostNanoUsd = null } = {}] = generations;
    expect(generations).toMatchObject([
      {
        status: 'failed',
        reason: 'shutting_down',
        finishReason: 'error',
        provider: isStreamed ? 'alpha' : null,
        completionTokens: tokens,
        providerResponses: [{ provider: 'alpha', status: isStreamed ? 200 : null, error: 'shutting_down' }],
      },
    ]);
    expect(upstreamInferenceCostNanoUsd ?? usageNanoUsd).toBe(
      BigInt(Math.round(tokens * TOKEN_USD.alpha * 1e9)),
    );
    await expectSettled(gateway);
  },
);

it('ends what is open over TLS in the same way', async () => {
  const gateway = await startProviders('shared capacity', {
    env: { BYWAY_DRAIN_MS: '0', ...settingsOf('https') },
  });
  gateway.alpha.plan('m', { stallAfter: 3 });
  const sent = TRANSPORTS.map((transport) => send('https', gateway, transport, CALLS[transport](true)));
  await vi.waitFor(() => expect(gateway.alpha.requests).toHaveLength(TRANSPORTS.length), WAIT);
  await gateway.drain.stop();
  for (const [index, transport] of TRANSPORTS.entries()) {
    const came = await sent[index]?.came;
    expect(came && toldBy(transport, true, came).reason).toBe('shutting_down');
  }
});

it('tells a client that has stopped reading, too, and records the same', async () => {
  const gateway = await startProviders('shared capacity', { env: { BYWAY_DRAIN_MS: '100' } });
  gateway.alpha.plan('m', {
    words: Array.from({ length: 4_000 }, () => 'word '.repeat(400)),
    stallAfter: 3_999,
  });
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  const request = http.request(`${gateway.rest}/chat/completions`, { method: 'POST', headers, agent: false });
  request
    .on('error', () => undefined)
    .on('response', (response) => response.on('error', () => undefined).pause());
  const { body } = CALLS.REST(true);
  request.end(body);
  await vi.waitFor(() => expect(gateway.alpha.requests).toHaveLength(1), WAIT);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await gateway.drain.stop();
  const { stores } = gateway.gateway;
  const { generations } = await stores.generations.list(gateway.accountId, ANY_GENERATION, {
    offset: 0,
    limit: 10,
    after: null,
  });
  expect(generations).toMatchObject([{ status: 'failed', reason: 'shutting_down' }]);
  request.destroy();
});
