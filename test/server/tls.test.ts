import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectHttp2, exchange, type Running, selfSigned, start, stream } from './support.js';

describe('with a certificate the same port serves TLS (ALPN h2, http/1.1) (interface section 1)', () => {
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

  test('what is not TLS, or never finishes its handshake, is let go', async () => {
    await exchange(server.port, 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await exchange(server.port, '')).toBe('');
  });

  test('close() ends sessions, idle and silent connections', async () => {
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: identity.cert });
    await stream(session, { ':path': '/version' });
    const silent = net.connect(server.port, '127.0.0.1');
    const kept = tls.connect({ port: server.port, host: 'localhost', ca: identity.cert });
    kept.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => kept.once('data', resolve));
    const gone = [silent, kept].map(
      (socket) => new Promise((resolve) => socket.resume().on('close', resolve)),
    );
    await server.app.close();
    await Promise.all([...gone, session.closed || new Promise((resolve) => session.on('close', resolve))]);
  });
});
