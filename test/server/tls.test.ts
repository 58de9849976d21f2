import https from 'node:https';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectHttp2, exchange, type Running, selfSigned, start, stream, until } from './support.js';

describe('with a certificate the same port serves TLS (ALPN h2, http/1.1)', () => {
  const identity = selfSigned();
  let server: Running;
  beforeEach(async () => {
    server = await start({ tls: identity, limits: { firstBytesTimeoutMs: 200 } });
  });
  afterEach(() => server.app.close());

  test('h2 is chosen where the client offers it', async () => {
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: identity.cert });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => stream(session, { ':path': '/version' })),
    );
    expect(new Set(answers.map((answer) => JSON.parse(answer.body).major))).toEqual(new Set([2]));
    expect(session.alpnProtocol).toBe('h2');
    session.destroy();
  });

  test.each([['http/1.1'], undefined])('HTTP/1.1 is spoken with ALPN %j', async (offered) => {
    const body = await new Promise<string>((resolve, reject) => {
      const options = { port: server.port, host: 'localhost', path: '/version', ca: identity.cert };
      https
        .get({ ...options, ...(offered && { ALPNProtocols: offered }) }, (response) =>
          response.on('data', (chunk) => resolve(String(chunk))),
        )
        .on('error', reject);
    });
    expect(JSON.parse(body).major).toBe(1);
  });

  test('what is not TLS, or never finishes its handshake, is disconnected', async () => {
    await exchange(server.port, 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await exchange(server.port, '')).toBe('');
  });

  test('a request that follows an answer which is still being sent is read completely, body and headers', async () => {
    const large = Buffer.alloc(32 * 2 ** 20, 'x');
    const handled: string[] = [];
    const { app, port } = await start({ tls: identity }, (routed) => {
      routed.get('/large', async () => {
        handled.push('large');
        return large;
      });
    });
    onTestFinished(() => app.close());
    const client = tls.connect({ port, host: 'localhost', ca: identity.cert });
    client.pause();
    client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => handled.length > 0);
    // More than a TLS record: the server gets several at once, while the client reads nothing of the answer.
    const body = JSON.stringify('y'.repeat(100_000));
    client.write(
      `POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await setTimeout(200);
    const pieces: Buffer[] = [];
    for await (const piece of client) pieces.push(piece);
    const answers = Buffer.concat(pieces).toString('latin1');
    expect(answers.endsWith(`\r\n\r\n{"got":${body}}`)).toBe(true);
    expect(answers).not.toContain('HTTP/1.1 400');
  });

  test('close() ends sessions, idle and silent connections', async () => {
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: identity.cert });
    await stream(session, { ':path': '/version' });
    const silent = net.connect(server.port, '127.0.0.1');
    const keptAlive = tls.connect({ port: server.port, host: 'localhost', ca: identity.cert });
    keptAlive.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => keptAlive.once('data', resolve));
    const gone = [silent, keptAlive].map(
      (socket) => new Promise((resolve) => socket.resume().on('close', resolve)),
    );
    await server.app.close();
    await Promise.all([...gone, session.closed || new Promise((resolve) => session.on('close', resolve))]);
  });
});
