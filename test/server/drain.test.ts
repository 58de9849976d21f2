import { EventEmitter } from 'node:events';
import http from 'node:http';
import { describe, expect, test } from 'vitest';
import { createDrain, type Drain } from '../../src/server/health/drain.js';
import { registerHealth } from '../../src/server/health/health.js';
import { createReadiness } from '../../src/server/health/readiness.js';
import { stopOnSignals, stopWithSupervisor } from '../../src/server/health/signals.js';
import { connectHttp2, connectRaw, request, start, stream, until } from './support.js';

const closeOf = (emitter: EventEmitter) =>
  new Promise<void>((resolve) => emitter.once('close', () => resolve()));

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
  async function startDrainable(timeoutMs?: number) {
    const server = await start();
    const drain = createDrain({
      app: server.app,
      log: server.app.log,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    return { ...server, drain };
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
    const { port, drain, events, release } = await startDrainable();
    const raw = connectRaw(port);
    raw.socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => events.includes('waiting'));
    const stopped = drain.stop();
    raw.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => events.includes('version'));
    release();
    await Promise.all([stopped, raw.closed]);
    expect(raw.received).toMatch(
      /"waited":true[\s\S]*HTTP\/1.1 200 OK\r\n[\s\S]*connection: close[\s\S]*"major":1/i,
    );
  });

  test('streams that never end are cut off at the timeout, and the hooks still run', async () => {
    const server = await start();
    const drain = createDrain({ app: server.app, log: server.app.log, timeoutMs: 200 });
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
    const broken = { server: http.createServer(), close: () => Promise.reject(new Error('broken')) };
    const hanging = { server: http.createServer(), close: () => new Promise(() => {}) };
    // Fastify's `close` is overloaded; only the promise is used.
    for (const app of [broken, hanging] as unknown as Parameters<typeof createDrain>[0]['app'][]) {
      const drain = createDrain({ app, timeoutMs: 10, log });
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
    drain = createDrain({ app: server.app, log: server.app.log });
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

  test.each(['SIGTERM', 'SIGINT'])('%s drains and exits 0', async (signal) => {
    const server = await start();
    const process = fakeProcess();
    stopOnSignals(process, createDrain({ app: server.app, log: server.app.log }));
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
    stopOnSignals(process, createDrain({ app: server.app, log: server.app.log }));
    process.emit('SIGTERM');
    process.emit('SIGINT');
    expect(process.codes).toEqual([1]);
    server.release();
    await answer;
  });

  test('under a supervisor SIGTERM drains once however often it comes, and SIGINT is left to the supervisor', async () => {
    const server = await start();
    const process = fakeProcess();
    stopWithSupervisor(process, createDrain({ app: server.app, log: server.app.log }));
    process.emit('SIGINT');
    expect(server.app.server.listening).toBe(true);
    process.emit('SIGTERM');
    process.emit('SIGTERM');
    expect(process.codes).toEqual([]);
    await until(() => process.codes.length > 0);
    expect(process.codes).not.toContain(1);
  });
});
