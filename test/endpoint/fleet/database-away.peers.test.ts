import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GrpcPeer } from '../../server/grpc-transport.js';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { proxyBefore } from '../../support/fakes/tcp-proxy.js';
import { startGateway } from '../../support/gateway.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { bodyOf, caller, refusalOf, send } from '../../support/rest.js';

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const HEALTH_PROTO = 'grpc-health-check/proto/health/v1/health.proto';
const UNAVAILABLE = [503, 'database_unavailable'];

/** Longer than any pause between two attempts to reconnect. */
const PATIENCE = { timeout: 15_000 };

/** For what waits that long several times. */
const TIMEOUT_MS = 60_000;

async function soon<T>(awaited: Promise<T>): Promise<T> {
  const late = sleep(PATIENCE.timeout, undefined, { ref: false }).then(() => {
    throw new Error(`nothing came within ${PATIENCE.timeout} ms`);
  });
  return Promise.race([awaited, late]);
}

async function startBehindProxy() {
  const proxy = await proxyBefore(await temporaryDatabaseUrl('postgres'));
  const gateway = await startGateway({ env: { BYWAY_DATABASE_URL: proxy.url } });
  return { proxy, gateway };
}

describe.runIf(hasPostgres())('while PostgreSQL is away', { timeout: TIMEOUT_MS }, () => {
  it('requests that need it get 503 with Retry-After, readiness follows, and all recover by themselves', async () => {
    const { proxy, gateway } = await startBehindProxy();
    const [use, manage] = [caller(gateway, gateway.apiKey), caller(gateway, gateway.managementKey)];
    expect((await use('POST', '/chat/completions', CHAT)).status).toBe(200);
    expect((await manage('GET', '/keys')).status).toBe(200);

    proxy.cut();
    for (const answer of [
      await use('POST', '/chat/completions', CHAT),
      await use('POST', '/chat/completions', { ...CHAT, stream: true }),
      await use('GET', '/key'),
      await manage('GET', '/keys'),
      await manage('POST', '/keys', { name: 'n' }),
    ]) {
      expect(refusalOf(answer)).toEqual(UNAVAILABLE);
      expect(answer.headers['retry-after']).toBe('1');
    }
    await expect
      .poll(async () => refusalOf(await send(`${gateway.url}/readyz`, 'GET')), PATIENCE)
      .toEqual([503, 'not_ready']);
    expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
    expect(gateway.log.some((line) => line.includes('the database is not available'))).toBe(true);

    proxy.mend();
    const ready = async () =>
      expect((await send(`${gateway.url}/readyz`, 'GET')).status, 'readiness').toBe(200);
    await vi.waitFor(ready, PATIENCE);
    expect((await use('POST', '/chat/completions', CHAT)).status).toBe(200);
    expect((await manage('POST', '/keys', { name: 'n' })).status).toBe(201);
  });

  it('gRPC health follows readiness, for Check and for Watch', async () => {
    const { proxy, gateway } = await startBehindProxy();
    const peer = new GrpcPeer(new URL(gateway.url).host, HEALTH_PROTO, 'grpc.health.v1.Health');
    onTestFinished(() => peer.close());
    const services = ['', 'byway.v1.ChatService'];
    const check = () => Promise.all(services.map((service) => peer.unary('Check', { service })));
    const watches = services.map((service) => peer.serverStream('Watch', { service }));
    const statuses = watches.map((watch) => watch[Symbol.asyncIterator]());
    const next = async () =>
      (await soon(Promise.all(statuses.map((status) => status.next())))).map((one) => one.value);
    const both = (status: string) => [{ status }, { status }];

    expect(await next()).toEqual(both('SERVING'));
    expect(await check()).toEqual(both('SERVING'));
    proxy.cut();
    // An answer counts for a second.
    await expect.poll(check, PATIENCE).toEqual(both('NOT_SERVING'));
    expect(await next()).toEqual(both('NOT_SERVING'));
    proxy.mend();
    expect(await next()).toEqual(both('SERVING'));
    await expect.poll(check, PATIENCE).toEqual(both('SERVING'));
    for (const watch of watches) watch.on('error', () => undefined).cancel();
  });

  it('cached data is served: model lists, for callers that are cached', async () => {
    const { proxy, gateway } = await startBehindProxy();
    const use = caller(gateway, gateway.apiKey);
    const before = bodyOf(await use('GET', '/models/user'));
    proxy.cut();
    await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(3), PATIENCE);
    expect(bodyOf(await use('GET', '/models/user'))).toEqual(before);
    expect((await send(`${gateway.rest}/models`, 'GET')).status).toBe(200);
    const stranger = caller(gateway, `bw-v1-${'0'.repeat(64)}`);
    expect(refusalOf(await stranger('GET', '/models/user'))).toEqual(UNAVAILABLE);
    // A policy that can't be read evicts no cached one.
    expect(bodyOf(await use('GET', '/models/user'))).toEqual(before);
  });
});
