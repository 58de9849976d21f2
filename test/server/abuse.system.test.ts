import { once } from 'node:events';
import http2 from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { connectHttp2, connectRaw, HTTP2_START, stream } from './support.js';

const MIB = 1024 * 1024;

/** Far above what the tests need (some 700 MiB with the runner), far below what a leak would take. */
const MAX_BYTES = 1_500 * MIB;

const CHAT = '/api/v1/chat/completions';
const KEYS = '/api/v1/keys';
const RPC = '/byway.v1.KeyService/CreateKey';

let server: ServerProcess;
let url: string;
/** Statuses of all answers in the test. */
let statuses: number[];
let watch: { stop(): Promise<void> };

beforeAll(async () => {
  server = await startServerProcess({ BYWAY_LOG_LEVEL: 'info', BYWAY_ADMIN_RATE_PER_MINUTE: '0' });
  url = `http://127.0.0.1:${server.port}`;
}, 60_000);

afterAll(async () => {
  expect(server.peakBytes()).toBeLessThan(MAX_BYTES);
  expect(server.output.filter((line) => line.startsWith('{') && JSON.parse(line).level >= 50)).toEqual([]);
  expect(await server.stop()).toBe(0);
});

beforeEach(() => {
  statuses = [];
  watch = watchHealth();
});

afterEach(async () => {
  await watch.stop();
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});

/** Polls `/healthz`, each time on a connection of its own; fails when one is not answered with 200. */
function watchHealth() {
  let isOver = false;
  const watching = (async () => {
    do {
      const { status } = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
      expect(status).toBe(200);
      await pause(20);
    } while (!isOver);
  })();
  watching.catch(() => {});
  return {
    stop() {
      isOver = true;
      return watching;
    },
  };
}

/** Sends the bytes on a fresh connection, ends it, and notes the statuses of what comes back over HTTP/1.1. */
async function send(...pieces: readonly (string | Uint8Array)[]): Promise<number[]> {
  const raw = connectRaw(server.port, true);
  for (const piece of pieces) raw.socket.write(piece);
  raw.socket.end();
  // A refused session stays open until its idle timeout; the test does not wait for that.
  if (pieces[0] === HTTP2_START) void pause(50).then(() => raw.socket.destroy());
  await raw.closed;
  const found = [...raw.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  statuses.push(...found);
  return found;
}

/** POSTs a body with a valid credential; the status. */
async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const key = path === CHAT ? server.apiKey : server.managementKey;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  statuses.push(response.status);
  return response.status;
}

// A lot for a busy machine; the time that it takes is not tested.
describe('whatever is sent, the server answers others and never with 5xx', { timeout: 120_000 }, () => {
  it('bytes that are not HTTP', async () => {
    const host = 'Host: x\r\n';
    const cases = [
      ['\0'.repeat(1000)],
      ['GET'],
      ['GET  / HTTP/1.1\r\n\r\n'],
      [`GET /%00%ff%2e%2e HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      [`GET /../../etc/passwd HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      [`GET http://other.example.com/healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      [`GET * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      [`GET /healthz?${'%'.repeat(500)} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
      [`POST ${KEYS} HTTP/1.1\r\n${host}Content-Length: 5, 6\r\n\r\nhello`],
      [`POST ${KEYS} HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\nzz`],
      [`POST ${KEYS} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n`],
      [`GET /healthz HTTP/1.1\r\n${host}X: \x01\x02\r\n\r\n`],
      [`\u0016\u0003\u0001\u0002\0\u0001`],
      [HTTP2_START, Buffer.alloc(2000, 0xff)],
      [HTTP2_START, Buffer.from([0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 1])],
    ];
    for (const pieces of cases) expect((await send(...pieces)).every((status) => status < 500)).toBe(true);
    const noise = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 });
    const start = fc.constantFrom('', `POST ${CHAT} HTTP/1.1\r\n${host}`, HTTP2_START);
    await fc.assert(
      fc.asyncProperty(start, noise, async (first, pieces) => void (await send(first, ...pieces))),
      { numRuns: 100 },
    );
  });

  it('clients that disconnect in the middle of a body or an answer', async () => {
    const head = (length: number) =>
      [
        `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey}\r\n`,
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      ].join('');
    const request = chat('x', { stream: true });
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const raw = connectRaw(server.port);
        const isWhole = index % 2 === 0;
        raw.socket.write(head(isWhole ? request.length : 1_000_000) + (isWhole ? request : '{"model": "'));
        if (isWhole) await Promise.race([once(raw.socket, 'data'), raw.closed]);
        raw.socket.resetAndDestroy();
        await raw.closed;
      }),
    );
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const session = connectHttp2(url);
        const headers = { ':method': 'POST', 'content-type': 'application/json' };
        const sent = session.request({
          ...headers,
          ':path': CHAT,
          authorization: `Bearer ${server.apiKey}`,
        });
        sent.on('error', () => {});
        sent.write('{"model": "');
        await once(session, 'remoteSettings');
        session.destroy();
      }),
    );
  });

  it('200 clients that send their bodies slowly', async () => {
    const slow = Array.from({ length: 200 }, (_, index) => {
      const raw = connectRaw(server.port);
      const key = index % 4 === 0 ? 'wrong' : server.apiKey;
      raw.socket.write(`POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`);
      raw.socket.write('Content-Type: application/json\r\nContent-Length: 33000000\r\n\r\n');
      return raw;
    });
    for (let round = 0; round < 20; round += 1) {
      for (const raw of slow) if (raw.socket.writable) raw.socket.write(' ');
      await pause(20);
    }
    expect(await post(CHAT, chat('x'))).toBe(200);
    for (const raw of slow) raw.socket.destroy();
  });

  it('floods of tiny requests, on HTTP/1.1 and HTTP/2', async () => {
    const one = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(one.repeat(200) + last)));
    expect(answers.map((found) => found.length)).toEqual(Array.from({ length: 20 }, () => 201));
    const session = connectHttp2(url);
    const overHttp2 = await Promise.all(
      Array.from({ length: 2000 }, () => stream(session, { ':path': '/healthz' })),
    );
    statuses.push(...overHttp2.map(({ status }) => status));
    session.destroy();
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('JSON that is deep, huge, or strange', async () => {
    const deep = 200_000;
    const bodies = [
      '['.repeat(deep),
      '['.repeat(deep) + ']'.repeat(deep),
      '{"a":'.repeat(deep / 5),
      `{"name": ${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
      `{"name": "${'x'.repeat(900_000)}"}`,
      `{"name": "x", "limit": ${'9'.repeat(900_000)}}`,
      '{"name": "x", "limit": 1e999999}',
      `{${'"name": "x",'.repeat(70_000)} "name": "y"}`,
      '{"__proto__": {"name": "x"}, "constructor": {"prototype": null}}',
      `{"name": "x", "messages": [${'{},'.repeat(300_000)}{}]}`,
      `{"model": "demo/echo", "messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      chat('x', { metadata: JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) }),
    ];
    for (const path of [KEYS, '/api/v1/byok', CHAT, '/api/v1/routing/explain', RPC]) {
      for (const body of bodies) await post(path, body);
    }
    expect(await post(CHAT, chat('x'.repeat(31 * MIB)))).toBeLessThan(500);
    expect(await post(KEYS, `{"name": "${'x'.repeat(MIB)}"}`)).toBe(413);
  });

  it('text that is not UTF-8, and compressed bombs', async () => {
    const broken = Buffer.concat([
      Buffer.from('{"name": "'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}'),
    ]);
    for (const path of [KEYS, '/api/v1/byok', CHAT]) expect(await post(path, broken)).toBe(400);
    const bomb = gzipSync(Buffer.alloc(64 * MIB, ' '));
    const envelope = Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), bomb]);
    envelope.writeUInt32BE(bomb.length, 1);
    const gzip = { 'content-encoding': 'gzip', 'grpc-encoding': 'gzip', 'connect-content-encoding': 'gzip' };
    await post(KEYS, bomb, gzip);
    expect(await post(RPC, broken)).toBeLessThan(500);
    expect(await post(RPC, bomb, gzip)).toBe(429);
    for (const type of ['application/proto', 'application/grpc-web+proto', 'application/grpc+proto']) {
      await post(RPC, envelope, { ...gzip, 'content-type': type });
    }
  });

  it('HTTP/2 streams that are reset as soon as they are opened', async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = connectHttp2(url);
      const closed = new Promise((resolve) => session.once('close', resolve));
      await once(session, 'remoteSettings');
      for (let count = 0; count < 2000 && !session.destroyed; count += 1) {
        const sent = session.request({ ':path': '/api/v1/models' });
        sent.on('error', () => {});
        sent.close(http2.constants.NGHTTP2_CANCEL);
        if (count % 100 === 0) await pause(1);
      }
      session.destroy();
      await closed;
    }
  });

  it('floods of headers', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `X-${index}: 1\r\n`).join('');
    for (const headers of [many, `Cookie: ${'x'.repeat(MIB)}\r\n`, 'X: 1\r\n'.repeat(150)]) {
      const [status = 431] = await send(`GET /healthz HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
      expect(status).toBe(431);
    }
    // A header block that never ends, and one whose small text stands for a large list.
    const begun = Buffer.from([0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]);
    const endless = Buffer.concat(
      Array.from({ length: 20_000 }, () => Buffer.from([0, 0, 1, 9, 0, 0, 0, 0, 1, 0x86])),
    );
    await send(HTTP2_START, begun, endless);
    const session = connectHttp2(url);
    const bomb = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`x-${index}`, 'x'.repeat(500)]),
    );
    await once(session, 'remoteSettings');
    await stream(session, { ':path': '/healthz', ...bomb }).catch(() => {});
    session.destroy();
  });
});

function chat(content: string, further: object = {}): string {
  return JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content }], ...further });
}
