import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  connectHttp2,
  connectRaw,
  exchange,
  parseAnswer,
  type Running,
  start,
  stream,
  until,
} from './support.js';

const LIMITS = { maxHeaderBytes: 2_000, maxHeaderCount: 20 };

/** How long connections may be quiet in tests that wait for it. */
const QUIET_MS = 500;

describe('invalid HTTP gets the error envelope where an answer is possible', () => {
  let server: Running;
  beforeAll(async () => {
    server = await start({ limits: LIMITS });
  });
  afterAll(async () => {
    server.app.server.closeAllConnections();
    await server.app.close();
  });

  const many = Array.from({ length: 21 }, (_, i) => `H${i}: 1\r\n`).join('');
  test.each([
    ['garbage', 'hello world\r\n\r\n', 400, 'invalid_request'],
    ['a broken HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n', 400, 'invalid_request'],
    ['an unknown version', 'GET / HTTP/7.3\r\n\r\n', 400, 'invalid_request'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header: y\r\n\r\n', 400, 'invalid_request'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400, 'invalid_request'],
    [
      'both length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'a broken chunk',
      'POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
      400,
      'invalid_request',
    ],
    ['no host', 'GET /version HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['an impossible host', 'GET /version HTTP/1.1\r\nHost: [\r\n\r\n', 400, 'invalid_request'],
    ['two hosts', 'GET /version HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'invalid_request'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'invalid_request'],
    [
      'large headers',
      `GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a large path', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
    ['many headers', `GET /version HTTP/1.1\r\nHost: x\r\n${many}\r\n`, 431, 'headers_too_large'],
  ])('%s', async (_name, text, status, reason) => {
    const answer = parseAnswer(await exchange(server.port, text));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('date')).toMatch(/ GMT$/);
    expect(answer.body).toEqual({
      error: { code: status, message: expect.any(String), metadata: { reason } },
    });
  });

  test('garbage after a finished exchange is answered on the same connection', async () => {
    const raw = connectRaw(server.port);
    raw.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => raw.received.includes('"major":1'));
    const before = raw.received.length;
    raw.socket.write('garbage\r\n\r\n');
    await raw.closed;
    expect(parseAnswer(raw.received.slice(before)).status).toBe(400);
  });

  test.each(['/wait', '/stuck'])(
    'garbage while %s is being answered is not taken for its answer',
    async (path) => {
      const raw = connectRaw(server.port);
      raw.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => server.events.includes(path === '/wait' ? 'waiting' : 'streaming'));
      raw.socket.write('garbage\r\n\r\n');
      await raw.closed;
      expect(raw.received).not.toContain('HTTP/1.1 400');
    },
  );

  test('HTTP/2 requests that cannot be served get the envelope on their stream alone', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    for (const headers of [
      { ':path': '/version', ':authority': '[' },
      { ':method': 'CONNECT', ':authority': 'x:443' },
    ]) {
      const answer = await stream(session, headers, headers[':method'] && '');
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body).error.metadata.reason).toBe('invalid_request');
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect((await stream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
  });

  test('HTTP/2 that breaks without an event of Node is closed by the idle timeout', async () => {
    const quiet = await start({ limits: { ...LIMITS, keepAliveTimeoutMs: QUIET_MS } });
    onTestFinished(() => quiet.app.close());
    const raw = connectRaw(quiet.port);
    raw.socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    // SETTINGS that are larger than any frame may be: nghttp2 says GOAWAY by itself, and reads no more.
    raw.socket.end(Buffer.from('d6d640040000000000', 'hex'));
    await raw.closed;
    expect(raw.received).toContain('too large frame size');
  });

  test('no bytes whatever take the server down', async () => {
    const fuzzed = await start({ limits: { ...LIMITS, keepAliveTimeoutMs: QUIET_MS } });
    onTestFinished(() => fuzzed.app.close());
    const beginning = fc.constantFrom(
      '',
      'P',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET / HTTP/1.1\r\n',
      'POST /echo HTTP/1.1\r\nHost: x\r\n',
    );
    await fc.assert(
      fc.asyncProperty(
        beginning,
        fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 4 }),
        async (text, pieces) => {
          const raw = connectRaw(fuzzed.port);
          raw.socket.write(text);
          for (const piece of pieces) raw.socket.write(piece);
          raw.socket.end();
          await raw.closed;
        },
      ),
      { numRuns: 150 },
    );
    const session = connectHttp2(`http://127.0.0.1:${fuzzed.port}`);
    expect((await stream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
  });
});
