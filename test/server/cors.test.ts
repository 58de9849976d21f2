import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ListKeysRequestSchema } from '../../gen/byway/v1/keys_pb.js';
import { launchGateway, startGateway, type TestGateway } from '../support/gateway.js';
import { connectHttp2, stream } from './support.js';

const APP = 'https://app.example.com';
const RPC = '/byway.v1.KeyService/ListKeys';

/** The CORS headers of an answer. */
function corsOf(response: Response): Record<string, string> {
  const headers = [...response.headers].filter(([name]) => name.startsWith('access-control-'));
  const vary = (response.headers.get('vary') ?? '').split(', ').filter((name) => name === 'Origin');
  return Object.fromEntries([...headers, ...vary.map((name) => ['vary', name] as const)]);
}

/** The preflight of a call with the method and a JSON body. */
function preflight(url: string, origin: string, method = 'POST'): Promise<Response> {
  const requested = {
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type',
  };
  return fetch(url, { method: 'OPTIONS', headers: { origin, ...requested } });
}

describe('pages of listed origins (BYWAY_CORS_ORIGINS)', () => {
  let gateway: TestGateway & { readonly stop: () => Promise<void> };
  beforeAll(async () => {
    gateway = await launchGateway({
      env: { BYWAY_CORS_ORIGINS: `${APP},http://localhost:5173`, BYWAY_ADMIN_RATE_PER_MINUTE: '2' },
    });
  });
  afterAll(() => gateway.stop());

  it.each([
    ['/api/v1/keys', 'GET, HEAD, POST'],
    [`/api/v1/keys/${'a'.repeat(64)}`, 'GET, HEAD, PATCH, DELETE'],
    ['/api/v1/chat/completions', 'POST'],
    ['/healthz', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    [RPC, 'GET, HEAD, POST'],
    ['/byway.v1.KeyService/CreateKey', 'POST'],
    ['/grpc.health.v1.Health/Check', 'POST'],
  ])('get a preflight answer for %s, without a credential', async (path, methods) => {
    const response = await preflight(gateway.url + path, APP);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    const { 'access-control-allow-methods': allowed = '', ...others } = corsOf(response);
    expect(allowed.split(', ').sort()).toEqual(methods.split(', ').sort());
    expect(others).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': APP,
      'access-control-allow-headers': expect.any(String),
      'access-control-expose-headers': expect.any(String),
      'access-control-max-age': '7200',
    });
    const headers = others['access-control-allow-headers']?.toLowerCase().split(', ');
    expect(headers).toEqual(
      expect.arrayContaining([
        ...['authorization', 'content-type', 'connect-protocol-version', 'connect-timeout-ms'],
        ...['x-grpc-web', 'x-user-agent', 'grpc-timeout', 'x-request-id', 'if-none-match'],
        ...['x-api-key', 'anthropic-version', 'anthropic-beta'],
        ...['x-byway-run', 'x-byway-run-limit-usd', 'x-byway-end-user'],
      ]),
    );
    const exposed = others['access-control-expose-headers']?.toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'x-generation-id', 'request-id', 'x-byway-remaining-usd']),
    );
  });

  it('get 404 for a preflight of an unknown path, and may read it', async () => {
    const response = await preflight(`${gateway.rest}/nothing`, APP);
    expect(response.status).toBe(404);
    expect(corsOf(response)).toMatchObject({ 'access-control-allow-origin': APP });
  });

  it('may read answers and errors of REST and RPC, refusals included', async () => {
    const post = (url: string, headers: Record<string, string> = {}, body = '{}') =>
      fetch(url, {
        method: 'POST',
        headers: { origin: APP, 'content-type': 'application/json', ...headers },
        body,
      });
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
    const grpcWeb = { 'content-type': 'application/grpc-web+proto' };
    const answers = await Promise.all([
      fetch(`${gateway.rest}/models`, { headers: { origin: APP } }),
      fetch(`${gateway.rest}/nothing`, { headers: { origin: APP } }),
      fetch(`${gateway.url}/readyz`, { headers: { origin: APP } }),
      post(`${gateway.rest}/keys`),
      post(`${gateway.rest}/models`),
      post(`${gateway.rest}/keys`, bearer(gateway.apiKey)),
      post(`${gateway.rest}/chat/completions`, bearer(gateway.apiKey), '{'),
      post(gateway.url + RPC),
      post(gateway.url + RPC, grpcWeb),
      post(gateway.url + RPC, { ...grpcWeb, ...bearer('wrong') }),
      post(`${gateway.url}/byway.v1.ModelService/ListModels`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      200, 404, 200, 401, 405, 403, 400, 401, 200, 200, 200,
    ]);
    for (const answer of answers) {
      const { 'access-control-expose-headers': exposed, ...others } = corsOf(answer);
      expect(others).toEqual({ vary: 'Origin', 'access-control-allow-origin': APP });
      expect(exposed?.toLowerCase().split(', ')).toEqual(
        expect.arrayContaining([
          ...['x-request-id', 'x-generation-id', 'retry-after', 'etag', 'x-ratelimit-limit'],
          ...['x-ratelimit-remaining', 'x-ratelimit-reset'],
          ...['grpc-status', 'grpc-message', 'grpc-status-details-bin'],
        ]),
      );
    }
  });

  it('may read a stream, a 304 and a 429', async () => {
    const headers = { origin: APP, authorization: `Bearer ${gateway.apiKey}` };
    const body = JSON.stringify({
      model: 'test/m1',
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
    });
    const chat = await fetch(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    expect(await chat.text()).toContain('[DONE]');
    const list = await fetch(`${gateway.rest}/models/user`, { headers });
    const unchanged = await fetch(`${gateway.rest}/models/user`, {
      headers: { ...headers, 'if-none-match': list.headers.get('etag') ?? '' },
    });
    let limited = await administer();
    while (limited.status !== 429) limited = await administer();
    expect([chat.status, list.status, unchanged.status]).toEqual([200, 200, 304]);
    for (const answer of [chat, list, unchanged, limited]) {
      expect(corsOf(answer)).toMatchObject({ vary: 'Origin', 'access-control-allow-origin': APP });
    }

    function administer(): Promise<Response> {
      return fetch(`${gateway.rest}/keys`, {
        headers: { origin: APP, authorization: `Bearer ${gateway.managementKey}` },
      });
    }
  });

  it('are served over HTTP/2 alike', async () => {
    const session = connectHttp2(gateway.url);
    const message = toBinary(ListKeysRequestSchema, create(ListKeysRequestSchema));
    const refused = await stream(
      session,
      { ':path': RPC, ':method': 'POST', origin: APP, 'content-type': 'application/grpc-web+proto' },
      Buffer.concat([Buffer.alloc(5), message]).toString('latin1'),
    );
    expect(refused.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'Origin' });
    const answer = await stream(session, { ':path': RPC, ':method': 'OPTIONS', origin: APP });
    expect(answer.status).toBe(204);
    session.destroy();
  });

  it.each(['https://evil.example.com', 'https://app.example.com.evil.com', 'null', `${APP}/`, ''])(
    'others, such as %j, are served as if there were no CORS',
    async (origin) => {
      const refused = await preflight(`${gateway.rest}/keys`, origin);
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
      expect(corsOf(refused)).toEqual({ vary: 'Origin' });
      const answer = await fetch(`${gateway.rest}/models`, { headers: { origin } });
      expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }]);
    },
  );
});

it('with * every origin may call, and answers are the same for all', async () => {
  const { rest } = await startGateway({ env: { BYWAY_CORS_ORIGINS: '*' } });
  const preflighted = await preflight(`${rest}/keys`, 'https://anywhere.example.com');
  expect([preflighted.status, preflighted.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const answer = await fetch(`${rest}/models`, { headers: { origin: 'null' } });
  expect(corsOf(answer)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.any(String),
  });
});

it('without BYWAY_CORS_ORIGINS there are no CORS headers, and OPTIONS is a wrong method', async () => {
  const { url, rest } = await startGateway();
  for (const path of [`${rest}/keys`, `${url}/healthz`, url + RPC]) {
    const answer = await preflight(path, APP);
    expect([answer.status, corsOf(answer)]).toEqual([405, {}]);
    expect(answer.headers.get('allow')).toMatch(/GET|POST/);
  }
  expect((await preflight(`${rest}/nothing`, APP)).status).toBe(404);
  expect(corsOf(await fetch(`${rest}/models`, { headers: { origin: APP } }))).toEqual({});
});
