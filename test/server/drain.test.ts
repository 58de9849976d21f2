import { EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { describe, expect, test } from 'vitest';
import { createDrain, type Drain, type DrainDependencies } from '../../src/server/health/drain.js';
import { registerHealth } from '../../src/server/health/health.js';
import { createReadiness } from '../../src/server/health/readiness.js';
import {
  type SignalledProcess,
  stopOnce,
  stopWithSupervisor,
  takeSignals,
} from '../../src/server/health/signals.js';
import { connectHttp2, connectRaw, request, selfSigned, start, stream, until } from './support.js';

const closeOf = (emitter: EventEmitter) =>
  new Promise<void>((resolve) => emitter.once('close', () => resolve()));

/** More than a connection's buffers take. */
const LARGE = 'x'.repeat(20_000_000);

/** A drain of a server that has nothing to end by itself. */
function drainOf(
  { app }: Pick<Awaited<ReturnType<typeof start>>, 'app'>,
  more: Partial<DrainDependencies> = {},
) {
  const nothing = {
    endConnections: () => undefined,
    endAnswers: () => undefined,
    refuseRest: () => undefined,
  };
  return createDrain({ app, log: app.log, timeoutMs: 8_000, ...nothing, ...more });
}

describe('close() does not hang', () => {
  test('idle keep-alive connections, HTTP/2 sessions and silent sockets are closed', async () => {
    const server = await start();
    const silent = connectRaw(server.port);
    const keptAlive = connectRaw(server.port);
    keptAlive.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    let goAway = false;
    session.on('goaway', () => {
      goAway = true;
    });
    await stream(session, { ':path': '/version' });
    await until(() => keptAlive.received.includes('200 OK'));
    const sessionClosed = closeOf(session);
    await server.app.close();
    await Promise.all([silent.closed, keptAlive.closed, sessionClosed]);
    expect(goAway).toBe(true);
  });

  test('a connection that was busy is closed once its answer has ended', async () => {
    const server = await start();
    const raw = connectRaw(server.port);
    raw.socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => server.events.includes('waiting'));
    const closed = server.app.close();
    server.release();
    await closed;
    await raw.closed;
    expect(raw.received).toContain('{"waited":true}');
  });
});

describe('draining lets requests in flight finish and ends the rest within its timeout', () => {
  async function startDrainable() {
    const server = await start();
    return { ...server, drain: drainOf(server) };
  }

  test('requests in flight of both versions finish, new connections are refused', async () => {
    const { port, drain, events, release } = await startDrainable();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const answers = [request(port, '/wait'), stream(session, { ':path': '/wait' })];
    await until(() => events.length === 2);
    expect(drain.draining).toBe(false);
    const stopped = drain.stop();
    expect(drain.draining).toBe(true);
    await until(() => session.closed);
    await expect(request(port, '/version')).rejects.toThrow('ECONNREFUSED');
    release();
    for (const answer of await Promise.all(answers))
      expect(JSON.parse(answer.body)).toEqual({ waited: true });
    await stopped;
  });

  test('a request on a busy connection is still served, and its answer says that the connection closes', async () => {
    const { app, port, drain, events, release } = await startDrainable();
    const raw = connectRaw(port);
    raw.socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => events.includes('waiting'));
    const stopped = drain.stop();
    await until(() => !app.server.listening);
    raw.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => events.includes('version'));
    release();
    await Promise.all([stopped, raw.closed]);
    expect(raw.received).toMatch(
      /"waited":true[\s\S]*HTTP\/1.1 200 OK\r\n[\s\S]*connection: close[\s\S]*"major":1/i,
    );
  });

  test.each(['cleartext', 'TLS'])(
    'an answer that its client is still reading goes out whole, over %s',
    async (way) => {
      const { cert, key } = selfSigned();
      const isTls = way === 'TLS';
      const server = await start(isTls ? { tls: { cert, key } } : {}, (app) => {
        app.get('/large', async () => LARGE);
      });
      const { get } = isTls ? https : http;
      const options = {
        port: server.port,
        host: '127.0.0.1',
        path: '/large',
        agent: false,
        rejectUnauthorized: false,
      };
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        get(options, resolve).on('error', reject);
      });
      response.pause();
      const stopped = drainOf(server).stop();
      await new Promise((resolve) => setTimeout(resolve, 300));
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      expect([bytes, response.complete]).toEqual([LARGE.length, true]);
      await stopped;
    },
  );

  test('streams that never end are cut off at the timeout, and the hooks still run', async () => {
    const server = await start();
    const drain = drainOf(server, { timeoutMs: 200 });
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const stuck = session.request({ ':path': '/stuck' });
    stuck.on('error', () => {});
    const raw = connectRaw(server.port);
    raw.socket.write('GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n');
    const half = connectRaw(server.port);
    half.socket.write('POST /echo HTTP/1.1\r\nHost: x\r\n');
    await until(() => server.events.length === 2);
    await drain.stop();
    await Promise.all([raw.closed, half.closed]);
    await until(() => session.destroyed && server.events.filter((event) => event === 'cut').length === 2);
    expect(raw.received).toContain('data: first');
  });

  test('closing that fails or hangs does not keep the process', async () => {
    const log = { info() {}, warn() {}, error() {} };
    const nothing = {
      endConnections: () => undefined,
      endAnswers: () => undefined,
      refuseRest: () => undefined,
    };
    const broken = { server: http.createServer(), close: () => Promise.reject(new Error('broken')) };
    const hanging = { server: http.createServer(), close: () => new Promise(() => {}) };
    // Fastify's `close` is overloaded; only the promise is used.
    for (const app of [broken, hanging] as unknown as Parameters<typeof createDrain>[0]['app'][]) {
      const drain = createDrain({ app, timeoutMs: 10, log, ...nothing });
      await drain.stop();
      expect(drain.stop()).toBe(drain.stop());
    }
  });

  test('readiness is 503 as soon as draining begins, on connections that are still open', async () => {
    let drain: Drain | undefined;
    const server = await start({}, (app) => {
      registerHealth(
        app,
        createReadiness({ draining: () => drain?.draining ?? false, check: async () => {} }),
      );
    });
    drain = drainOf(server);
    const raw = connectRaw(server.port);
    raw.socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\nGET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => raw.received.includes('{"status":"ok"}') && server.events.includes('waiting'));
    const stopped = drain.stop();
    raw.socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => server.events.includes('version'));
    server.release();
    await Promise.all([stopped, raw.closed]);
    expect(raw.received).toMatch(/HTTP\/1.1 503 [\s\S]*"reason":"shutting_down"/);
  });
});

describe('signals', () => {
  function fakeProcess() {
    const codes: number[] = [];
    return Object.assign(new EventEmitter(), { codes, exit: (code: number) => void codes.push(code) });
  }

  function signalled(process: SignalledProcess, drain: Drain, isSupervised = false) {
    const stop = isSupervised ? stopWithSupervisor : stopOnce;
    takeSignals(process, { isSupervised }).use({ drain: stop(process, drain), reread: () => undefined });
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGQUIT'])('%s drains and exits 0', async (signal) => {
    const server = await start();
    const process = fakeProcess();
    signalled(process, drainOf(server));
    process.emit(signal);
    await until(() => process.codes.length > 0);
    expect(process.codes).toEqual([0]);
    expect(server.app.server.listening).toBe(false);
  });

  test('a second signal ends at once', async () => {
    const server = await start();
    const answer = request(server.port, '/wait');
    await until(() => server.events.includes('waiting'));
    const process = fakeProcess();
    signalled(process, drainOf(server));
    process.emit('SIGTERM');
    process.emit('SIGINT');
    expect(process.codes).toEqual([1]);
    server.release();
    await answer;
  });

  test('before a process serves, a signal to drain ends it at once', () => {
    const process = fakeProcess();
    takeSignals(process, { isSupervised: false });
    process.emit('SIGTERM');
    expect(process.codes).toEqual([0]);
  });

  test('under a supervisor SIGTERM drains once however often it comes, and what terminals send is left to it', async () => {
    const server = await start();
    const process = fakeProcess();
    signalled(process, drainOf(server), true);
    process.emit('SIGINT');
    process.emit('SIGQUIT');
    expect(server.app.server.listening).toBe(true);
    process.emit('SIGTERM');
    process.emit('SIGTERM');
    expect(process.codes).toEqual([]);
    await until(() => process.codes.length > 0);
    expect(process.codes).not.toContain(1);
  });
});
