/** Calls beside inference whose clients leave: what they hold at a provider, or in the gateway, is given back at once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { type Call, type Sent, VERSIONS, type Version } from '../support/clients/calls.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../support/fakes/fake-anthropic.js';
import { launchGateway, startGateway } from '../support/gateway.js';
import { addGenerations } from '../support/many-generations.js';
import { addKey, startProviders } from '../support/providers.js';
import { enveloped } from '../support/raw-rpc.js';
import { caller, recordOf } from '../support/rest.js';

const MAX_ABORT_MS = 1_000;
const WAIT = { timeout: 5_000, interval: 5 };

const PROTOCOLS = ['REST', 'Connect', 'gRPC', 'gRPC-Web'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/** Every protocol over each version that has it, left in each way that is not the protocol's own. */
const CASES = PROTOCOLS.flatMap((protocol) =>
  (Object.keys(VERSIONS) as Version[])
    .filter((version) => protocol !== 'gRPC' || version === 'HTTP/2')
    .flatMap((version) => (['cancel', 'lose'] as const).map((way) => ({ protocol, version, way }))),
);

const bytes = (value: object) => Buffer.from(JSON.stringify(value));

/** The RPC in the protocol; not for REST. */
function rpc(protocol: Exclude<Protocol, 'REST'>, path: string, message: object, isStream = false): Call {
  const isEnveloped = protocol !== 'Connect' || isStream;
  const types = {
    Connect: isStream ? 'application/connect+json' : 'application/json',
    gRPC: 'application/grpc+json',
    'gRPC-Web': 'application/grpc-web+json',
  };
  return {
    path: `/byway.v1.${path}`,
    headers: { 'content-type': types[protocol], te: 'trailers' },
    body: isEnveloped ? enveloped(bytes(message)) : bytes(message),
  };
}

const NONE = Buffer.alloc(0);
const JSON_TYPE = { 'content-type': 'application/json' };

it.each(CASES)(
  'the test of a BYOK key over $protocol, $version, left by $way, ends at the provider',
  async (one) => {
    const gateway = await startProviders(null);
    const { alpha } = gateway;
    const id = await addKey(gateway, 'alpha', 'sk-test-00000000000000000000');
    alpha.planKey('sk-test-00000000000000000000', { delayMs: 60_000 });
    const call =
      one.protocol === 'REST'
        ? { path: `/api/v1/byok/${id}/test`, headers: {}, body: NONE }
        : rpc(one.protocol, 'ByokService/TestByokKey', { id });
    const sent = VERSIONS[one.version](new URL(gateway.url), call, gateway.managementKey);
    await vi.waitFor(() => expect(alpha.requests).toHaveLength(1), WAIT);
    sent[one.way]();
    await vi.waitFor(() => expect(alpha.aborts).toBe(1), { timeout: MAX_ABORT_MS, interval: 5 });
    sent.lose();
  },
);

it.each(CASES)(
  'the count of tokens over $protocol, $version, left by $way, ends at the provider',
  async (one) => {
    const fake = await startFakeAnthropic();
    const gateway = await startGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        providers: [{ slug: 'anthropic', name: 'Anthropic', adapter: 'anthropic', base_url: fake.baseUrl }],
        models: [demoModel('test/m', [{ provider: 'anthropic', upstream_model_id: 'claude-x' }])],
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    recordOf(await manage('POST', '/byok', { provider: 'anthropic', key: FAKE_API_KEY }));
    fake.plan('claude-x', { delayMs: 60_000 });
    const body = { model: 'test/m', messages: [{ role: 'user', content: 'Hello' }] };
    const rpcBody = { request: { ...body, messages: [{ role: 'user', content: { text: 'Hello' } }] } };
    const call =
      one.protocol === 'REST'
        ? { path: '/api/v1/messages/count_tokens', headers: JSON_TYPE, body: bytes(body) }
        : rpc(one.protocol, 'MessagesService/CountTokens', rpcBody);
    const sent = VERSIONS[one.version](new URL(gateway.url), call, gateway.apiKey);
    await vi.waitFor(() => expect(fake.requests).toHaveLength(1), WAIT);
    sent[one.way]();
    await vi.waitFor(() => expect(fake.aborts).toBe(1), { timeout: MAX_ABORT_MS, interval: 5 });
    sent.lose();
  },
);

describe('exports', () => {
  let gateway: Awaited<ReturnType<typeof launchGateway>>;
  beforeAll(async () => {
    gateway = await launchGateway();
    await addGenerations(gateway.gateway.database, 20_000, gateway);
  });
  afterAll(() => gateway.stop());

  it.each(CASES)('over $protocol, $version, left by $way, give their places back', async (one) => {
    const call =
      one.protocol === 'REST'
        ? { method: 'GET', path: '/api/v1/generations/export', headers: {}, body: NONE }
        : rpc(one.protocol, 'GenerationService/ExportGenerations', {}, true);
    const begin = () => VERSIONS[one.version](new URL(gateway.url), call, gateway.managementKey);
    const pair = [await admitted(begin, WAIT.timeout), await admitted(begin, WAIT.timeout)];
    for (const sent of pair) sent[one.way]();
    for (const sent of [await admitted(begin, MAX_ABORT_MS), ...pair]) sent.lose();
  });
});

/** An export that goes on: the account has a place for it in time. */
function admitted(begin: () => Sent, timeout: number): Promise<Sent> {
  return vi.waitFor(
    async () => {
      const sent = begin();
      await sent.begun;
      const goesOn = new Promise<string>((resolve) => setTimeout(() => resolve('it goes on'), 100));
      const ended = sent.came.then(({ status, text }) => `${status} ${text.slice(0, 300)}`);
      const now = await Promise.race([goesOn, ended]);
      if (now.includes('rate_limited')) sent.lose();
      expect(now).not.toContain('rate_limited');
      return sent;
    },
    { timeout, interval: 50 },
  );
}
