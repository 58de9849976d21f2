/** nginx and Caddy in front of a gateway: at their own defaults, and as docs/operations.md configures them. */
import { request } from 'node:http';
import http2 from 'node:http2';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../support/catalog.js';
import { documented, type Front, type FrontName, frontBinary, startFront } from '../support/fronts/fronts.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { enveloped } from '../support/raw-rpc.js';
import { bodyOf, refusalOf, send } from '../support/rest.js';

const CATALOG = {
  providers: [demoProvider('a', { regions: ['eu'] }), demoProvider('b', { regions: ['us'] })],
  models: [
    demoModel('test/eu', [{ provider: 'a', upstream_model_id: 'slow-60' }]),
    demoModel('test/us', ['b']),
  ],
};

const HOSTS = {
  BYWAY_REGION_HOSTS: 'eu.example.com=eu',
  BYWAY_HOSTS: 'ai.example.com',
  BYWAY_TRUST_PROXY: '1',
};
const PUBLIC = { ...HOSTS, BYWAY_PUBLIC_URL: 'https://ai.example.com' };
const BELOW = { ...HOSTS, BYWAY_PUBLIC_URL: 'https://ai.example.com/llm' };

const WORDS = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ');
const CHAT = { model: 'test/eu', max_tokens: 100, messages: [{ role: 'user', content: WORDS }] };
const RPC_CHAT = { chat: { ...CHAT, messages: [{ role: 'user', content: { text: WORDS } }] } };

/** What each does when it is told nothing but where to pass requests on. */
const DEFAULTS: Readonly<Record<FrontName, string>> = {
  nginx: 'location / { proxy_pass http://127.0.0.1:8080; }',
  Caddy: 'reverse_proxy 127.0.0.1:8080',
};
const COMPRESSING: Readonly<Record<FrontName, string>> = {
  nginx: `gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;\n${DEFAULTS.nginx}`,
  Caddy: documented('Caddy', 1),
};

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function behind(name: FrontName, configuration: string, env: Readonly<Record<string, string>> = {}) {
  const gateway = await launchGateway({ catalog: CATALOG, env });
  stops.push(() => gateway.stop());
  const front = await startFront(name, configuration, gateway.url);
  stops.push(() => front.stop());
  return { gateway, front };
}

interface Piece {
  readonly atMs: number;
  readonly bytes: number;
}

/** The pieces of an answer, as they come. */
function pieces(front: Front, path: string, headers: object, body: string | Buffer): Promise<Piece[]> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const seen: Piece[] = [];
    const sent = request(
      { port: front.port, host: '127.0.0.1', method: 'POST', path, headers: { ...headers } },
      (answer) => {
        answer.on('data', (piece: Buffer) =>
          seen.push({ atMs: performance.now() - startedAt, bytes: piece.length }),
        );
        answer.on('end', () => {
          expect(answer.statusCode).toBe(200);
          resolve(seen);
        });
        answer.on('error', reject);
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** The same over HTTP/2 in clear, for gRPC. */
function pieces2(front: Front, path: string, headers: object, body: Buffer): Promise<Piece[]> {
  const startedAt = performance.now();
  const session = http2.connect(`http://127.0.0.1:${front.port}`);
  return new Promise((resolve, reject) => {
    const seen: Piece[] = [];
    const stream = session.request({ ':method': 'POST', ':path': path, te: 'trailers', ...headers });
    stream.on('data', (piece: Buffer) =>
      seen.push({ atMs: performance.now() - startedAt, bytes: piece.length }),
    );
    stream.on('trailers', (trailers) => expect(trailers['grpc-status']).toBe('0'));
    stream.on('error', reject).on('close', () => {
      session.close();
      resolve(seen);
    });
    stream.end(body);
  });
}

/** Some twenty words, one each 60 ms: they must not wait for each other. */
function expectPiecewise(seen: readonly Piece[]): void {
  const [first, last] = [seen[0]?.atMs ?? 0, seen.at(-1)?.atMs ?? 0];
  expect(seen.length).toBeGreaterThan(8);
  expect(last - first).toBeGreaterThan(500);
}

const JSON_TYPE = 'application/json';
const STREAMS: readonly (readonly [string, string, string, string | Buffer])[] = [
  ['chat', '/api/v1/chat/completions', JSON_TYPE, JSON.stringify({ ...CHAT, stream: true })],
  ['message', '/api/v1/messages', JSON_TYPE, JSON.stringify({ ...CHAT, stream: true })],
  ['call of Connect', '/byway.v1.ChatService/StreamChatCompletion', 'application/connect+json', rpcBody()],
  ['call of gRPC-Web', '/byway.v1.ChatService/StreamChatCompletion', 'application/grpc-web+json', rpcBody()],
];

function rpcBody(): Buffer {
  return enveloped(Buffer.from(JSON.stringify(RPC_CHAT)));
}

function get({ port }: Front, path: string, host: string, headers: object) {
  return send(`http://127.0.0.1:${port}${path}`, 'GET', { headers: { host, ...headers } });
}

function keyOf({ apiKey }: TestGateway) {
  return { authorization: `Bearer ${apiKey}` };
}

const ids = (answer: Awaited<ReturnType<typeof get>>) =>
  (bodyOf(answer).data as { id: string }[]).map(({ id }) => id).sort();

describe.each(['nginx', 'Caddy'] as const)('%s in front', (name) => {
  describe.skipIf(frontBinary(name) === undefined)('of a gateway', { timeout: 60_000 }, () => {
    beforeAll(() => expect(frontBinary(name)).toBeDefined());

    it.each([
      ['at its defaults', DEFAULTS[name]],
      ['that compresses all it may', COMPRESSING[name]],
      ['as documented', documented(name, 0)],
    ])('%s passes streams on piece by piece', async (_, configuration) => {
      const { gateway, front } = await behind(name, configuration);
      const seen = await Promise.all(
        STREAMS.map(([, path, type, body]) =>
          pieces(
            front,
            path,
            {
              ...keyOf(gateway),
              host: 'ai.example.com',
              'content-type': type,
              'content-length': Buffer.byteLength(body),
              'accept-encoding': 'gzip',
            },
            body,
          ),
        ),
      );
      for (const one of seen) expectPiecewise(one);
    });

    it('passes gRPC on as documented, unary and piece by piece', async () => {
      const { gateway, front } = await behind(name, documented(name, name === 'nginx' ? 1 : 0), PUBLIC);
      const headers = {
        ...keyOf(gateway),
        ':authority': 'eu.example.com',
        'content-type': 'application/grpc+json',
      };
      expectPiecewise(await pieces2(front, '/byway.v1.ChatService/StreamChatCompletion', headers, rpcBody()));
      const one = await pieces2(
        front,
        '/byway.v1.KeyService/GetCurrentKey',
        headers,
        enveloped(Buffer.from('{}')),
      );
      expect(one.length).toBeGreaterThan(0);
    });

    it('at its defaults hides the host or not, which BYWAY_HOSTS decides: no region is ever lost in silence', async () => {
      const { gateway, front } = await behind(name, DEFAULTS[name], PUBLIC);
      const list = await get(front, '/api/v1/models/user', 'eu.example.com', keyOf(gateway));
      if (name === 'nginx') expect(refusalOf(list)).toEqual([421, 'unknown_host']);
      else expect(ids(list)).toEqual(['test/eu']);
    });

    it('as documented serves regions by their hosts, and links stay there', async () => {
      const { gateway, front } = await behind(name, documented(name, 0), PUBLIC);
      const list = (host: string, headers: object = {}) =>
        get(front, '/api/v1/models/user', host, { ...keyOf(gateway), ...headers });
      expect(ids(await list('eu.example.com'))).toEqual(['test/eu']);
      expect(ids(await list('ai.example.com'))).toEqual(['test/eu', 'test/us']);
      const lied = { 'x-forwarded-host': 'ai.example.com', 'x-forwarded-proto': 'gopher' };
      expect(ids(await list('eu.example.com', lied))).toEqual(['test/eu']);
      const page = await get(front, '/api/v1/models?limit=1', 'eu.example.com', {});
      expect(bodyOf(page).links).toEqual({ next: 'https://eu.example.com/api/v1/models?offset=1&limit=1' });
      const open = await behind(name, documented(name, 0), HOSTS);
      const plain = await get(open.front, '/api/v1/models?limit=1', 'ai.example.com', {});
      expect(bodyOf(plain).links).toEqual({ next: 'http://ai.example.com/api/v1/models?offset=1&limit=1' });
    });

    const belowPath =
      name === 'nginx'
        ? [
            ['cuts it off', documented(name, 2)],
            ['leaves it', documented(name, 2).replace('127.0.0.1:8080/;', '127.0.0.1:8080;')],
          ]
        : [
            ['cuts it off', documented(name, 2)],
            ['leaves it', documented(name, 3)],
          ];

    it.each(belowPath)(
      'below a path, where it %s, REST, Connect and every link work',
      async (_, configuration = '') => {
        const { gateway, front } = await behind(name, configuration, BELOW);
        const headers = keyOf(gateway);
        const page = bodyOf(await get(front, '/llm/api/v1/models?limit=1', 'ai.example.com', headers));
        const { next } = page.links as { next: string };
        expect(next).toBe('https://ai.example.com/llm/api/v1/models?offset=1&limit=1');
        const second = await get(
          front,
          next.slice('https://ai.example.com'.length),
          'ai.example.com',
          headers,
        );
        expect(bodyOf(second).data).toHaveLength(1);
        const [{ links }] = page.data as [{ links: { details: string } }];
        expect((await get(front, links.details, 'ai.example.com', headers)).status).toBe(200);
        const called = await send(
          `http://127.0.0.1:${front.port}/llm/byway.v1.KeyService/GetCurrentKey`,
          'POST',
          {
            headers: { ...headers, host: 'ai.example.com' },
            body: {},
          },
        );
        expect(called.status).toBe(200);
        expect((await get(front, '/llm/healthz', 'ai.example.com', {})).status).toBe(200);
        const unknown = await get(front, '/llm/nothing', 'ai.example.com', {});
        expect(refusalOf(unknown)).toEqual([404, 'unknown_path']);
      },
    );
  });
});
