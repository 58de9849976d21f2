import { describe, expect, it, vi } from 'vitest';
import { temporaryDatabaseUrl } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { hasPostgres } from '../support/postgres-access.js';
import { bodyOf, caller, refusalOf, send } from '../support/rest.js';
import { proxyBefore } from '../support/tcp-proxy.js';

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const UNAVAILABLE = [503, 'database_unavailable'];

/** Longer than any pause between two attempts to connect again. */
const PATIENCE = { timeout: 15_000 };

async function startBehindProxy() {
  const proxy = await proxyBefore(await temporaryDatabaseUrl('postgres'));
  const gateway = await startGateway({ env: { BYWAY_DATABASE_URL: proxy.url } });
  return { proxy, gateway };
}

describe.runIf(hasPostgres())('while PostgreSQL is away', () => {
  it('what needs it answers 503 with Retry-After, readiness follows, and all serve again by themselves', async () => {
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
    expect(refusalOf(await send(`${gateway.url}/readyz`, 'GET'))).toEqual([503, 'not_ready']);
    expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
    expect(gateway.log.some((line) => line.includes('the database is not available'))).toBe(true);

    proxy.mend();
    const ready = async () =>
      expect((await send(`${gateway.url}/readyz`, 'GET')).status, 'readiness').toBe(200);
    await vi.waitFor(ready, PATIENCE);
    expect((await use('POST', '/chat/completions', CHAT)).status).toBe(200);
    expect((await manage('POST', '/keys', { name: 'n' })).status).toBe(201);
  });

  it('what is in memory is served from there: models, for those who were there before', async () => {
    const { proxy, gateway } = await startBehindProxy();
    const use = caller(gateway, gateway.apiKey);
    const before = bodyOf(await use('GET', '/models/user'));
    proxy.cut();
    await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(3), PATIENCE);
    expect(bodyOf(await use('GET', '/models/user'))).toEqual(before);
    expect((await send(`${gateway.rest}/models`, 'GET')).status).toBe(200);
    const stranger = caller(gateway, `bw-v1-${'0'.repeat(64)}`);
    expect(refusalOf(await stranger('GET', '/models/user'))).toEqual(UNAVAILABLE);
    // One whose policy could not be read takes nobody's out of memory.
    expect(bodyOf(await use('GET', '/models/user'))).toEqual(before);
  });
});
