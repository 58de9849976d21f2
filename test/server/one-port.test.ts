import http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectHttp2,
  connectRaw,
  exchange,
  HTTP2_START,
  type Running,
  request,
  start,
  stream,
  until,
} from './support.js';

describe('one cleartext port serves HTTP/1.1 and HTTP/2 prior knowledge', () => {
  let server: Running;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(async () => {
    server.app.server.closeAllConnections();
    await server.app.close();
  });

  test('HTTP/1.1 keeps the connection alive', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    agent.on('free', (socket) => sockets.add(socket));
    for (let i = 0; i < 5; i += 1) {
      const answer = await request(server.port, '/version', { agent });
      expect(JSON.parse(answer.body).major).toBe(1);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  test('HTTP/1.1 pipelining is answered in order', async () => {
    const text = ['/version?a', '/version?b']
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      .join('');
    const received = await exchange(
      server.port,
      `${text}GET /version?c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(received.match(/\/version\?./g)).toEqual(['/version?a', '/version?b', '/version?c']);
  });

  test('HTTP/2 carries many streams on one session, handlers see version 2', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, i) => stream(session, { ':path': `/version?${i}` })),
    );
    expect(answers.map((answer) => JSON.parse(answer.body))).toEqual(
      Array.from({ length: 400 }, (_, i) => ({ major: 2, path: `/version?${i}` })),
    );
    session.destroy();
  });

  test('bodies arrive on both versions', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(200_000) });
    const headers = { 'content-type': 'application/json' };
    const overHttp1 = await request(server.port, '/echo', { method: 'POST', headers }, body);
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const overHttp2 = await stream(session, { ':path': '/echo', ':method': 'POST', ...headers }, body);
    expect(JSON.parse(overHttp1.body)).toEqual({ got: JSON.parse(body) });
    expect(JSON.parse(overHttp2.body)).toEqual({ got: JSON.parse(body) });
    session.destroy();
  });

  test('trailers written to the raw response arrive on both versions', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    expect((await stream(session, { ':path': '/trailers' })).trailers['grpc-status']).toBe('0');
    expect((await request(server.port, '/trailers')).trailers).toEqual({ 'grpc-status': '0' });
    session.destroy();
  });

  test.each([
    ['the HTTP/2 preface', HTTP2_START],
    [
      'an HTTP/1.1 request',
      Buffer.from('POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    ],
  ])('%s may come byte by byte', async (_name, bytes) => {
    const raw = connectRaw(server.port);
    raw.socket.setNoDelay(true);
    for (const byte of bytes) {
      raw.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until(() => raw.received.length >= 9);
    // A SETTINGS frame has type 4 in its fourth byte.
    const speaksHttp2 = raw.received.charCodeAt(3) === 4;
    expect(speaksHttp2 || raw.received.startsWith('HTTP/1.1 200')).toBe(true);
    expect(speaksHttp2).toBe(bytes[1] === 'R'.charCodeAt(0));
    raw.socket.destroy();
  });

  test('a first byte that fits both may wait for the rest', async () => {
    const raw = connectRaw(server.port);
    raw.socket.write('P');
    await new Promise((resolve) => setTimeout(resolve, 100));
    raw.socket.write('OST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    await raw.closed;
    expect(raw.received).toMatch(/^HTTP\/1.1 200/);
  });

  test.each(['h2c', 'websocket'])(
    'an Upgrade to %s is ignored and answered in HTTP/1.1',
    async (protocol) => {
      const headers = `Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n`;
      const raw = connectRaw(server.port);
      raw.socket.write(`GET /version HTTP/1.1\r\n${headers}\r\n`);
      await until(() => raw.received.includes('"major":1'));
      expect(raw.received).toMatch(/^HTTP\/1.1 200/);
      raw.socket.destroy();
    },
  );

  test('an unknown expectation is ignored, 100-continue is answered', async () => {
    const text =
      'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nContent-Type: application/json\r\n';
    expect(await exchange(server.port, `${text}Expect: wonders\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 200/);
    expect(await exchange(server.port, `${text}Expect: 100-continue\r\n\r\n{}`)).toMatch(
      /^HTTP\/1.1 100 .*\r\n\r\nHTTP\/1.1 200/,
    );
  });

  test('HTTP/1.0 without a host is served', async () => {
    expect(await exchange(server.port, 'GET /version HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200/);
  });

  test('clients that disconnect in the middle leave no connection and do no harm', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    session.request({ ':path': '/stuck' }).on('error', () => {});
    for (const text of [
      'P',
      'PRI * HT',
      'GET /ver',
      'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    ]) {
      const raw = connectRaw(server.port);
      raw.socket.write(text, () => raw.socket.resetAndDestroy());
      await raw.closed;
    }
    await until(() => server.events.includes('streaming'));
    session.destroy();
    await until(() => server.events.includes('cut'));
    while ((await server.connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await request(server.port, '/version')).status).toBe(200);
  });

  test.each(['', 'P', 'PRI * HTTP/2.0\r\n\r\nS'])(
    'a client that half-closes after %j is let go',
    async (text) => {
      const raw = connectRaw(server.port, true);
      raw.socket.end(text);
      await raw.closed;
      expect(raw.received).toBe('');
    },
  );
});

describe('limits', () => {
  test('more connections than allowed are dropped', async () => {
    const server = await start({ limits: { maxConnections: 2 } });
    const held = [connectRaw(server.port), connectRaw(server.port)];
    for (const raw of held) raw.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => held.every((raw) => raw.received.includes('200 OK')));
    expect(await exchange(server.port, '')).toBe('');
    await server.app.close();
  });

  test('a session may have as many streams as announced', async () => {
    const server = await start({ limits: { maxStreamsPerSession: 7 } });
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const settings = await new Promise((resolve) => session.on('remoteSettings', resolve));
    expect(settings).toMatchObject({ maxConcurrentStreams: 7, maxHeaderListSize: 16_384 });
    session.destroy();
    await server.app.close();
  });

  test('an HTTP/2 request with too large or too many headers is refused', async () => {
    const server = await start({ limits: { maxHeaderBytes: 1_000, maxHeaderCount: 20 } });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`h${i}`, '1']));
    for (const headers of [{ big: 'x'.repeat(2_000) }, many]) {
      const session = connectHttp2(`http://127.0.0.1:${server.port}`);
      await new Promise((resolve) => session.on('remoteSettings', resolve));
      await expect(stream(session, { ':path': '/version', ...headers })).rejects.toThrow();
      session.destroy();
    }
    await server.app.close();
  });
});
