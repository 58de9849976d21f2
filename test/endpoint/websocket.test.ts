import http2 from 'node:http2';
import { connect } from 'node:net';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway & { stop(): Promise<void> };

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the server sends until it closes the connection, which it does by itself. */
function exchange(
  requestLine: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Received> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(parsed(text)));
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${requestLine}\r\n${lines.join('')}\r\n${body}`);
  });
}

function parsed(text: string): Received {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = lines.map((one): [string, string] => {
    const [name = '', ...value] = one.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  return { status: Number(line.split(' ')[1]), headers: new Map(headers), body: JSON.parse(body) };
}

const PATHS = [
  '/api/v1/responses',
  '/v1/responses',
  '/api/v1/v1/responses',
  '/responses',
  '/backend-api/codex/responses',
  '/api/v1/realtime?model=x',
  '/api/v1/models',
  '/api/v1/keys',
  '/',
  '/unknown',
];

describe('a WebSocket is refused at once, so that clients go on over HTTP', () => {
  it.each(PATHS)('at %s', async (path) => {
    const { status, headers, body } = await exchange(`GET ${path} HTTP/1.1`, HANDSHAKE);
    expect(status).toBe(426);
    expect([headers.get('upgrade'), headers.get('connection')]).toEqual(['HTTP/1.1', 'Upgrade, close']);
    expect(headers.get('x-request-id')).toBeDefined();
    expect(body).toMatchObject({
      error: {
        message: 'WebSockets are not offered by this gateway; send the request over HTTP',
        metadata: { reason: 'upgrade_required' },
      },
    });
  });

  const forms: readonly (readonly [how: string, line: string, headers: Readonly<Record<string, string>>])[] =
    [
      ['in any case', 'HTTP/1.1', { ...HANDSHAKE, Connection: 'keep-alive, upgrade', Upgrade: 'WebSocket' }],
      ['with a version', 'HTTP/1.1', { ...HANDSHAKE, Upgrade: 'websocket/13' }],
      ['among others', 'HTTP/1.1', { ...HANDSHAKE, Upgrade: 'h2c , websocket' }],
      ['without a key', 'HTTP/1.1', { Connection: 'Upgrade', Upgrade: 'websocket' }],
      [
        'behind a proxy that drops what holds for its own connection',
        'HTTP/1.1',
        {
          Connection: 'close',
          'Sec-WebSocket-Key': HANDSHAKE['Sec-WebSocket-Key'],
        },
      ],
      ['behind a proxy of HTTP/1.0', 'HTTP/1.0', { 'Sec-WebSocket-Key': HANDSHAKE['Sec-WebSocket-Key'] }],
      ['of a page', 'HTTP/1.1', { ...HANDSHAKE, Origin: 'https://example.com' }],
      ['with a credential that is none', 'HTTP/1.1', { ...HANDSHAKE, Authorization: 'Bearer nobody' }],
    ];
  it.each(forms)('%s', async (_, version, headers) => {
    expect((await exchange(`GET /v1/responses ${version}`, headers)).status).toBe(426);
  });

  it('with a credential that may call', async () => {
    const headers = { ...HANDSHAKE, Authorization: `Bearer ${gateway.apiKey}` };
    expect((await exchange('GET /v1/responses HTTP/1.1', headers)).status).toBe(426);
  });

  it.each([
    ['a body', { 'Content-Length': '5' }, 'hello'],
    ['a body that never comes', { 'Content-Length': '500' }, 'hello'],
    ['frames before it was opened', {}, '\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58'],
    ['another request', {}, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])(
    'with %s, of which nothing is answered',
    async (_, headers, body) => {
      const { status } = await exchange('GET /v1/responses HTTP/1.1', { ...HANDSHAKE, ...headers }, body);
      expect(status).toBe(426);
    },
    15_000,
  );

  it('in the words of the API whose path it is', async () => {
    const { body } = await exchange('GET /v1/messages HTTP/1.1', HANDSHAKE);
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('for a client that others have written', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`);
    const began = performance.now();
    await new Promise((resolve) => socket.addEventListener('error', resolve));
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('a thousand leave no connection', async () => {
    const count = () =>
      new Promise<number>((resolve) => gateway.server.server.getConnections((_, n) => resolve(n)));
    for (let round = 0; round < 10; round++) {
      const all = Array.from({ length: 100 }, () => exchange('GET /v1/responses HTTP/1.1', HANDSHAKE));
      expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([426]));
    }
    await expect.poll(count).toBe(0);
  });
});

describe('what is no handshake is served', () => {
  it.each([
    [
      'an upgrade to HTTP/2',
      'GET /healthz HTTP/1.1',
      { Connection: 'Upgrade, HTTP2-Settings, close', Upgrade: 'h2c', 'HTTP2-Settings': '' },
    ],
    ['an upgrade to TLS', 'GET /healthz HTTP/1.1', { Connection: 'Upgrade, close', Upgrade: 'TLS/1.3' }],
    [
      'a name that only begins so',
      'GET /healthz HTTP/1.1',
      { Connection: 'Upgrade, close', Upgrade: 'websockets' },
    ],
  ])('%s', async (_, line, headers) => {
    expect((await exchange(line, headers)).status).toBe(200);
  });

  it('a POST, which opens none', async () => {
    const body = JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] });
    const { status } = await exchange(
      'POST /v1/chat/completions HTTP/1.1',
      {
        Authorization: `Bearer ${gateway.apiKey}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Connection: 'Upgrade, close',
        Upgrade: 'websocket',
      },
      body,
    );
    expect(status).toBe(200);
  });
});

it('HTTP/2 has no WebSockets either: what asks for one is refused, and its session goes on', async () => {
  const session = http2.connect(gateway.url);
  try {
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    expect(session.remoteSettings.enableConnectProtocol).not.toBe(true);
    const status = (headers: http2.OutgoingHttpHeaders) =>
      new Promise((resolve) => {
        const stream = session.request(headers);
        stream.on('response', (answered) => resolve(answered[':status']));
        stream.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
        stream.resume();
      });
    expect(await status({ ':method': 'CONNECT', ':authority': 'x' })).toBe(400);
    expect(await status({ ':path': '/healthz' })).toBe(200);
  } finally {
    session.close();
  }
});
