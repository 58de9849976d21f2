import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectHttp2,
  connectRaw,
  exchange,
  HTTP2_START,
  parseAnswer,
  type Running,
  start,
  stream,
  until,
} from './support.js';

describe('slow clients are cut off', () => {
  const limits = {
    firstBytesTimeoutMs: 150,
    headersTimeoutMs: 200,
    requestTimeoutMs: 300,
    keepAliveTimeoutMs: 250,
    timeoutCheckIntervalMs: 25,
  };
  let server: Running;
  beforeEach(async () => {
    server = await start({ limits });
  });
  afterEach(() => server.app.close());

  test.each(['', 'P'])('silence after %j ends the connection without an answer', async (text) => {
    expect(await exchange(server.port, text)).toBe('');
  });

  test('unfinished HTTP/1.1 headers get 408 with the envelope', async () => {
    const raw = connectRaw(server.port);
    raw.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => raw.socket.write('X-Drip: 1\r\n'), 20);
    await raw.closed;
    clearInterval(drip);
    const answer = parseAnswer(raw.received);
    expect(answer.status).toBe(408);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.body.error).toMatchObject({ code: 408, metadata: { reason: 'request_timeout' } });
  });

  test('an unfinished HTTP/1.1 body gets 408 with the request id that was sent', async () => {
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\n';
    const answer = parseAnswer(await exchange(server.port, `${head}Content-Length: 10\r\n\r\n{`));
    expect(answer.status).toBe(408);
    expect(answer.headers.get('x-request-id')).toBe('mine');
  });

  test('an unfinished HTTP/2 body gets 408, other streams of the session go on', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const slow = session.request({ ':path': '/echo', ':method': 'POST', 'content-type': 'application/json' });
    slow.write('{');
    let body = '';
    slow.on('data', (chunk) => {
      body += chunk;
    });
    const status = await new Promise((resolve) =>
      slow.on('response', (headers) => resolve(headers[':status'])),
    );
    await new Promise((resolve) => slow.on('close', resolve));
    expect(status).toBe(408);
    expect(JSON.parse(body).error.metadata.reason).toBe('request_timeout');
    expect((await stream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
  });

  test('idle connections of both versions are closed, one with an open stream is not', async () => {
    const busy = connectHttp2(`http://127.0.0.1:${server.port}`);
    const answer = stream(busy, { ':path': '/wait' });
    const idle = connectHttp2(`http://127.0.0.1:${server.port}`);
    await stream(idle, { ':path': '/version' });
    const keptAlive = connectRaw(server.port);
    keptAlive.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([new Promise((resolve) => idle.on('close', resolve)), keptAlive.closed]);
    await new Promise((resolve) => setTimeout(resolve, 2 * limits.keepAliveTimeoutMs));
    expect(busy.closed).toBe(false);
    server.release();
    expect((await answer).status).toBe(200);
    busy.destroy();
  });

  test('a session that never finishes the headers of its first request is closed', async () => {
    const raw = connectRaw(server.port);
    // HEADERS without END_HEADERS, then CONTINUATION frames of one byte, cut into single bytes.
    const headers = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82];
    const endless = Array.from({ length: 40 }, () => [0, 0, 1, 9, 0, 0, 0, 0, 1, 0x86]).flat();
    raw.socket.write(Buffer.concat([HTTP2_START, Buffer.from(headers)]));
    const drip = setInterval(() => raw.socket.write(Buffer.from([endless.shift() ?? 0])), 20);
    await raw.closed;
    clearInterval(drip);
    expect(endless.length).toBeGreaterThan(0);
  });

  test('a session that never opens a stream is closed', async () => {
    const raw = connectRaw(server.port);
    raw.socket.write(HTTP2_START);
    await raw.closed;
  });

  test.each([
    ['says nothing more', Buffer.alloc(0)],
    ['has broken the protocol', Buffer.alloc(2000, 0xff)],
  ])('a client that %s cannot keep a connection by not closing its side', async (_name, further) => {
    const raw = connectRaw(server.port, true);
    raw.socket.write(Buffer.concat([HTTP2_START, further]));
    await until(() => raw.received !== '');
    while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    raw.socket.destroy();
  });
});
