import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthCheckRequestSchema } from '../../gen/grpc/health/v1/health_pb.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { launchGateway, startGateway, type TestGateway } from '../support/gateway.js';
import { bodyOf, refusalOf, send } from '../support/rest.js';
import { connectHttp2, exchange, parseAnswer, stream } from './support.js';

const CATALOG = {
  providers: [demoProvider('a', { regions: ['eu'] }), demoProvider('b', { regions: ['us'] })],
  models: [demoModel('test/m1', ['a']), demoModel('test/m2', ['b']), demoModel('test/m3', ['a'])],
};

/** A proxy in front, two regions, and the hosts of both. */
const ENV = {
  BYWAY_HOSTS: 'LLM.example.com., [2001:db8:0::1], bücher.example',
  BYWAY_REGION_HOSTS: 'eu.example.com=eu, [::1]=us',
  BYWAY_PUBLIC_URL: 'https://ai.example.com/llm/',
  BYWAY_TRUST_PROXY: '1',
};

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG, env: ENV });
});
afterAll(() => gateway.stop());

const MODELS = '/api/v1/models/user?limit=1';
const GET_KEY = '/byway.v1.KeyService/GetCurrentKey';
const STREAM_CHAT = '/byway.v1.ChatService/StreamChatCompletion';
const CHECK = '/grpc.health.v1.Health/Check';
const EMPTY = '\0\0\0\0\0';

/** A GET with this host, from the gateway that all tests share. */
function get(path: string, host: string, headers: object = {}, { url, apiKey }: TestGateway = gateway) {
  return send(url + path, 'GET', { headers: { authorization: `Bearer ${apiKey}`, ...headers, host } });
}

/** One call over HTTP/2 to this authority. */
async function over2(path: string, authority: string, type: string, body = EMPTY) {
  const session = connectHttp2(gateway.url);
  const headers = { ':method': 'POST', ':path': path, ':authority': authority, 'content-type': type };
  const answer = await stream(session, { ...headers, 'x-api-key': gateway.apiKey, te: 'trailers' }, body);
  session.destroy();
  return answer;
}

const KNOWN = [
  ...['llm.example.com', 'LLM.EXAMPLE.COM:8443', 'llm.example.com.', 'llm.example.com.:80'],
  ...['eu.example.com', 'ai.example.com', '[2001:db8::1]:443', '[2001:DB8:0:0::1]', '[::1]'],
  ...['xn--bcher-kva.example'],
];
const UNKNOWN = [
  ...['localhost', '127.0.0.1:8080', 'example.com', 'x.eu.example.com', 'eu.example.com.evil.example'],
  ...['eu.example.com..', '[2001:db8::2]', 'byway', 'llm-example.com'],
];

describe('where BYWAY_HOSTS is set, requests to other hosts are 421 `unknown_host`', () => {
  it.each(KNOWN)('%s is one of them, however it is spelled', async (host) => {
    expect((await get(MODELS, host)).status).toBe(200);
  });

  it.each(UNKNOWN)('%s is none, on every path but those of probes and metrics', async (host) => {
    for (const path of [MODELS, '/', '/openapi.json', '/nothing', '/api/v1/keys/x', '/assets/x.js']) {
      expect(refusalOf(await get(path, host))).toEqual([421, 'unknown_host']);
    }
    for (const path of ['/healthz', '/readyz']) expect((await get(path, host)).status).toBe(200);
    const metrics = await get('/metrics', host, { authorization: `Bearer ${gateway.operatorKey}` });
    expect(metrics.status).toBe(200);
  });

  it('names what came, and what a proxy has to do', async () => {
    const { error } = bodyOf(await get(MODELS, '127.0.0.1:8080'));
    expect((error as { message: string }).message).toBe(
      '127.0.0.1:8080 is no host of this gateway. A proxy in front of it must pass on the Host of the request',
    );
  });

  it('says so before it looks at the credential, and to clients of Messages in their form', async () => {
    expect(refusalOf(await get(MODELS, 'x', { authorization: 'Bearer wrong' }))).toEqual([
      421,
      'unknown_host',
    ]);
    const headers = { host: 'x', 'x-api-key': gateway.apiKey };
    const answer = await send(`${gateway.rest}/messages`, 'POST', { headers, body: {} });
    expect([answer.status, bodyOf(answer)]).toEqual([
      421,
      expect.objectContaining({
        type: 'error',
        error: expect.objectContaining({
          type: 'invalid_request_error',
          metadata: { reason: 'unknown_host' },
        }),
      }),
    ]);
  });

  it('over Connect, unary and streamed', async () => {
    const call = (path: string, type: string, host: string) =>
      send(gateway.url + path, 'POST', {
        headers: { host, 'content-type': type, 'x-api-key': gateway.apiKey },
        body: type.includes('connect') ? '\0\0\0\0\x02{}' : '{}',
      });
    const unary = await call(GET_KEY, 'application/json', 'x');
    expect([unary.status, bodyOf(unary)]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_argument',
        details: [expect.objectContaining({ debug: expect.objectContaining({ reason: 'unknown_host' }) })],
      }),
    ]);
    expect((await call(STREAM_CHAT, 'application/connect+json', 'x')).text).toContain('unknown_host');
    expect((await call(GET_KEY, 'application/json', 'eu.example.com')).status).toBe(200);
    expect((await call(STREAM_CHAT, 'application/connect+json', 'eu.example.com')).text).not.toContain(
      'unknown_host',
    );
  });

  it.each([
    ['gRPC', GET_KEY, 'application/grpc'],
    ['gRPC, the ordinary way', GET_KEY, 'application/grpc; charset=utf-8'],
    ['gRPC, streamed', STREAM_CHAT, 'application/grpc'],
    ['gRPC-Web', GET_KEY, 'application/grpc-web'],
    ['gRPC-Web, streamed', STREAM_CHAT, 'application/grpc-web'],
  ])('over %s, by `:authority`', async (_, path, type) => {
    const told = async (authority: string) => {
      const { headers, body } = await over2(path, authority, type);
      return `${headers['grpc-status'] ?? ''} ${headers['grpc-message'] ?? ''} ${body}`;
    };
    expect(await told('x.example.com:443')).toMatch(/^3 x.example.com:443 is no host of this gateway/);
    expect(await told('eu.example.com:443')).not.toContain('no host');
  });

  it('REST over HTTP/2 too, and health checks of gRPC never', async () => {
    const session = connectHttp2(gateway.url);
    const ask = (authority: string) =>
      stream(session, { ':path': MODELS, ':authority': authority, 'x-api-key': gateway.apiKey });
    expect([(await ask('x')).status, (await ask('eu.example.com')).status]).toEqual([421, 200]);
    session.destroy();
    const health = Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)));
    expect((await over2(CHECK, 'x', 'application/grpc', EMPTY + health)).trailers['grpc-status']).toBe('0');
  });

  it('the host of an absolute target is the host of the request, and Host must be the same', async () => {
    const ask = async (target: string, host: string) =>
      parseAnswer(
        await exchange(
          Number(new URL(gateway.url).port),
          `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${gateway.apiKey}\r\nConnection: close\r\n\r\n`,
        ),
      ).status;
    expect(await ask(`http://eu.example.com${MODELS}`, 'eu.example.com')).toBe(200);
    expect(await ask(`http://other.example.com${MODELS}`, 'eu.example.com')).toBe(400);
    expect(await ask(`http://eu.example.com${MODELS}`, 'llm.example.com')).toBe(400);
    expect(await ask(`http://x${MODELS}`, 'x')).toBe(421);
  });
});

describe('the host that a trusted proxy forwards', () => {
  const ids = async (host: string, headers: object, of?: TestGateway) =>
    (bodyOf(await get('/api/v1/models/user', host, headers, of)).data as { id: string }[]).map(
      ({ id }) => id,
    );
  const ALL = ['test/m1', 'test/m2', 'test/m3'];
  const EU = ['test/m1', 'test/m3'];

  it('counts instead of Host, which may be any then', async () => {
    expect(await ids('127.0.0.1:8080', { 'x-forwarded-host': 'EU.example.com.:443' })).toEqual(EU);
    expect(await ids('eu.example.com', { 'x-forwarded-host': 'llm.example.com' })).toEqual(ALL);
  });

  it.each(['x.example.com', '', 'eu.example.com, eu.example.com', 'eu.example.com/x', 'eu.example.com:x'])(
    'must be one host of the gateway, not %j',
    async (forwarded) => {
      const answer = await get(MODELS, 'eu.example.com', { 'x-forwarded-host': forwarded });
      expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'X-Forwarded-Host known']);
      expect((await get('/healthz', 'eu.example.com', { 'x-forwarded-host': forwarded })).status).toBe(200);
    },
  );

  it('sent twice is no one host', async () => {
    const headers = { 'x-forwarded-host': ['eu.example.com', 'llm.example.com'] };
    expect((await get(MODELS, 'eu.example.com', headers)).status).toBe(400);
  });

  it.each(['ftp', '', 'https, http', 'https://x'])('its scheme is http or https, not %j', async (proto) => {
    const answer = await get(MODELS, 'eu.example.com', { 'x-forwarded-proto': proto });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'X-Forwarded-Proto known']);
  });

  it('counts for nothing without BYWAY_TRUST_PROXY, the host not without BYWAY_HOSTS either', async () => {
    const { BYWAY_TRUST_PROXY: _, BYWAY_PUBLIC_URL: __, ...untrusting } = ENV;
    const { BYWAY_HOSTS: ___, BYWAY_PUBLIC_URL: ____, ...open } = ENV;
    const headers = { 'x-forwarded-host': 'eu.example.com', 'x-forwarded-proto': 'https' };
    const next = async (host: string, of: TestGateway) =>
      (bodyOf(await get(MODELS, host, headers, of)).links as { next: string }).next;
    const first = await startGateway({ catalog: CATALOG, env: untrusting });
    expect(await ids('llm.example.com', headers, first)).toEqual(ALL);
    expect(await next('llm.example.com', first)).toMatch(/^http:\/\/llm\.example\.com\/api/);
    const second = await startGateway({ catalog: CATALOG, env: open });
    expect(await ids('other.example.com', headers, second)).toEqual(ALL);
    expect(await next('other.example.com', second)).toMatch(/^https:\/\/other\.example\.com\/api/);
  });
});

describe('links', () => {
  const urls = async (path: string, host: string, headers: object = {}) => {
    const { next } = bodyOf(await get(path, host, headers)).links as { next: string };
    return [next.slice(0, next.indexOf('/api/'))];
  };

  it.each(['/api/v1/models?limit=1', '/api/v1/models/user?limit=1'])(
    'of %s stay at the host of a region, with scheme and path of the public URL',
    async (path) => {
      expect(await urls(path, 'eu.example.com')).toEqual(['https://eu.example.com/llm']);
      expect(await urls(path, 'EU.example.com:8443')).toEqual(['https://EU.example.com:8443/llm']);
      expect(await urls(path, 'x', { 'x-forwarded-host': 'eu.example.com' })).toEqual([
        'https://eu.example.com/llm',
      ]);
      for (const host of ['ai.example.com', 'llm.example.com', '[2001:db8::1]']) {
        expect(await urls(path, host)).toEqual(['https://ai.example.com/llm']);
      }
    },
  );

  it('of generations too, whose second page is the first one’s next', async () => {
    const headers = { 'x-api-key': gateway.apiKey, host: 'eu.example.com' };
    for (let times = 0; times < 2; times += 1) {
      const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
      await send(`${gateway.rest}/chat/completions`, 'POST', { headers, body });
    }
    const list = await get('/api/v1/generations?limit=1', 'eu.example.com', {
      authorization: `Bearer ${gateway.managementKey}`,
    });
    expect(bodyOf(list).links).toEqual({
      next: expect.stringMatching(/^https:\/\/eu\.example\.com\/llm\/api\/v1\/generations\?/),
    });
  });

  it('that are paths begin with that of the public URL', async () => {
    const [first] = bodyOf(await get(MODELS, 'eu.example.com')).data as [{ links: object }];
    const details = { links: { details: '/llm/api/v1/models/test/m1/endpoints' } };
    expect(first).toMatchObject(details);
    expect(bodyOf(await get('/api/v1/models/test/m1', 'eu.example.com')).data).toMatchObject(details);
    const wrong = await get('/models', 'ai.example.com');
    expect(bodyOf(wrong).error).toMatchObject({
      message: expect.stringContaining('did you mean /llm/api/v1/models?'),
    });
  });

  it('of the OpenAPI document name the host that it was read at', async () => {
    const servers = async (host: string) => bodyOf(await get('/openapi.json', host)).servers;
    expect(await servers('eu.example.com')).toEqual([{ url: 'https://eu.example.com/llm' }]);
    expect(await servers('ai.example.com')).toEqual([{ url: 'https://ai.example.com/llm' }]);
    expect(await servers('eu.example.com')).toEqual([{ url: 'https://eu.example.com/llm' }]);
  });
});

describe('region hosts without BYWAY_HOSTS', () => {
  const metric = async (of: TestGateway) => {
    const { text } = await get('/metrics', 'x', { authorization: `Bearer ${of.operatorKey}` }, of);
    return /^byway_region_hosts_unbound (\d)$/m.exec(text)?.[1];
  };

  it('serve other hosts without a region, and a metric says so', async () => {
    const unbound = await startGateway({ env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu' } });
    expect((await get(MODELS, 'anything', {}, unbound)).status).toBe(200);
    expect([await metric(unbound), await metric(gateway)]).toEqual(['1', '0']);
    expect(await metric(await startGateway())).toBe('0');
  });

  it('cover their name with a final dot', async () => {
    const env = { BYWAY_REGION_HOSTS: 'eu.example.com=eu' };
    const unbound = await startGateway({ env, catalog: CATALOG });
    const { total_count } = bodyOf(await get(MODELS, 'eu.example.com.', {}, unbound));
    expect(total_count).toBe(2);
  });
});
