import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const TWO = { env: { BYWAY_ADMIN_RATE_PER_MINUTE: '2' } };

function listKeys({ rest }: TestGateway, secret: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, ...init.headers };
  return fetch(`${rest}/keys`, { ...init, headers });
}

function rateOf({ headers }: { headers: Headers }) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  return { limit, remaining, reset: Number(reset) };
}

describe('rate limits of administration', () => {
  it('answer 429 with Retry-After and X-RateLimit-*, which successes carry too', async () => {
    const gateway = await startGateway(TWO);
    const before = Date.now();
    const first = await listKeys(gateway, gateway.managementKey);
    expect([first.status, first.headers.get('retry-after')]).toEqual([200, null]);
    expect(rateOf(first)).toMatchObject({ limit: '2', remaining: '1' });
    expect(rateOf(first).reset).toBeGreaterThanOrEqual(before + 30_000);
    await listKeys(gateway, gateway.managementKey);
    const refused = await listKeys(gateway, gateway.managementKey);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^([12]?\d|30)$/);
    expect(rateOf(refused)).toMatchObject({ limit: '2', remaining: '0' });
    expect(rateOf(refused).reset).toBeGreaterThanOrEqual(before + 30_000);
    expect(await refused.json()).toEqual({
      error: { code: 429, message: 'Rate limit exceeded', metadata: { reason: 'rate_limited' } },
      user_id: gateway.ownerUserId,
    });
  });

  it('apply to each principal, not to its account or its address', async () => {
    const gateway = await startGateway(TWO);
    const { managementKey } = await gateway.addAccount();
    const created = await fetch(`${gateway.rest}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
      body: '{"name": "app"}',
    });
    const { client_secret: secret } = (await created.json()) as { client_secret: string };
    const status = async (key: string) => (await listKeys(gateway, key)).status;
    expect([await status(gateway.managementKey), await status(gateway.managementKey)]).toEqual([200, 429]);
    expect([await status(secret), await status(secret), await status(secret)]).toEqual([200, 200, 429]);
    expect(await status(managementKey)).toBe(200);
  });

  it('leave inference, model lists and GET /key alone', async () => {
    const gateway = await startGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '1' } });
    const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'test/m1', messages: [{ role: 'user', content: 'x' }] });
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([
        fetch(`${gateway.rest}/models`, { headers }),
        fetch(`${gateway.rest}/models/user`, { headers }),
        fetch(`${gateway.rest}/key`, { headers }),
        fetch(`${gateway.rest}/providers`, { headers }),
        fetch(`${gateway.rest}/chat/completions`, { method: 'POST', headers, body }),
        fetch(`${gateway.url}/healthz`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(answers.map((answer) => rateOf(answer).limit)).toEqual([null, null, null, null, null, null]);
    }
  });

  it('come after 401 and 403, which cost nothing, and before 413, 415 and 400, which do', async () => {
    const gateway = await startGateway(TWO);
    for (let call = 0; call < 3; call += 1) {
      expect((await listKeys(gateway, 'bw-mgmt-wrong')).status).toBe(401);
      const forbidden = await listKeys(gateway, gateway.apiKey);
      expect([forbidden.status, rateOf(forbidden).limit]).toEqual([403, null]);
    }
    const post = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
    const wrongType = await listKeys(gateway, gateway.managementKey, post);
    expect([wrongType.status, rateOf(wrongType).remaining]).toEqual([415, '1']);
    const json = { ...post, headers: { 'content-type': 'application/json' } };
    expect((await listKeys(gateway, gateway.managementKey, json)).status).toBe(400);
    expect((await listKeys(gateway, gateway.managementKey, post)).status).toBe(429);
    const large = { ...json, body: 'x'.repeat(1_100_000) };
    expect((await listKeys(gateway, gateway.managementKey, large)).status).toBe(429);
  });

  it('are switched off by BYWAY_ADMIN_RATE_PER_MINUTE=0', async () => {
    const gateway = await startGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => listKeys(gateway, gateway.managementKey)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(rateOf(answers[0] ?? expect.fail()).limit).toBeNull();
  });

  it.each([
    ['Connect JSON', createConnectTransport, { httpVersion: '1.1', useBinaryFormat: false }],
    ['Connect', createConnectTransport, { httpVersion: '2' }],
    ['gRPC', createGrpcTransport, {}],
    ['gRPC-Web', createGrpcWebTransport, { httpVersion: '1.1' }],
  ] as const)('travel as metadata through %s', async (_name, createTransport, options) => {
    const gateway = await startGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '1' } });
    const authorize: Interceptor = (next) => (request) => {
      request.header.set('authorization', `Bearer ${gateway.managementKey}`);
      return next(request);
    };
    const transport = (createTransport as typeof createConnectTransport)({
      httpVersion: '2',
      ...options,
      baseUrl: gateway.url,
      interceptors: [authorize],
    });
    const client = createClient(KeyService, transport);
    let sent = new Headers();
    await client.listKeys({}, { onHeader: (headers) => (sent = headers) });
    expect(rateOf({ headers: sent })).toMatchObject({ limit: '1', remaining: '0' });
    const error = await client.listKeys({}).then(
      () => expect.fail('was admitted'),
      (thrown: unknown) => ConnectError.from(thrown),
    );
    expect([error.code, error.rawMessage]).toEqual([Code.ResourceExhausted, 'Rate limit exceeded']);
    expect(error.findDetails(ErrorDetailSchema)).toMatchObject([{ httpStatus: 429, reason: 'rate_limited' }]);
    expect(error.metadata.get('retry-after')).toMatch(/^\d+$/);
    expect(rateOf({ headers: error.metadata })).toMatchObject({ limit: '1', remaining: '0' });
    expect(rateOf({ headers: error.metadata }).reset).toBeGreaterThan(Date.now());
  });
});
