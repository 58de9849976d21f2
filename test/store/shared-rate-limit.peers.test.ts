import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';

const NOW = 1_750_000_000_000;

describe.runIf(hasPostgres())('the rate limit of administrative calls on PostgreSQL', () => {
  it('is shared by all gateways of the database', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const env = { BYWAY_DATABASE_URL: url, BYWAY_ADMIN_RATE_PER_MINUTE: '2' };
    const [one, other] = [await startGateway({ env }), await startGateway({ env })];
    const list = async ({ rest }: { rest: string }) => {
      const headers = { authorization: `Bearer ${one.managementKey}` };
      const answer = await fetch(`${rest}/keys`, { headers });
      return [answer.status, answer.headers.get('x-ratelimit-remaining')];
    };
    expect(await list(one)).toEqual([200, '1']);
    expect(await list(other)).toEqual([200, '0']);
    expect(await list(one)).toEqual([429, '0']);
    expect(await list(other)).toEqual([429, '0']);
  });

  it('allows exactly as many calls as the bucket has, however many come at once', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const limiters = [await openDuringTest(url), await openDuringTest(url)].map((handle) =>
      handle.rateLimiter(7),
    );
    const calls = await Promise.all(
      Array.from({ length: 40 }, (_, index) => limiters[index % 2]?.take('p', NOW) ?? Promise.reject()),
    );
    expect(calls.filter(({ isAllowed }) => isAllowed)).toHaveLength(7);
    expect(calls.filter(({ isAllowed }) => !isAllowed)[0]).toMatchObject({ limit: 7, remaining: 0 });
  });

  it('refills evenly over the minute, up to a full bucket, for each principal separately', async () => {
    const database = await withDatabase('postgres');
    const limiter = database.rateLimiter(2);
    const allowed = async (key = 'p') => (await limiter.take(key, NOW)).isAllowed;
    expect([await allowed(), await allowed(), await allowed(), await allowed('q')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const refused = await limiter.take('p', NOW);
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(30_000);
    expect(refused.resetAtMs).toBe(NOW + 30_000 + refused.retryAfterMs);
    await shiftClock(database, 30_000);
    expect([await allowed(), await allowed()]).toEqual([true, false]);
    await shiftClock(database, 3_600_000);
    expect([await allowed(), await allowed(), await allowed()]).toEqual([true, true, false]);
  });

  it('does not refill when the clock is set back', async () => {
    const database = await withDatabase('postgres');
    const limiter = database.rateLimiter(1);
    await limiter.take('p', NOW);
    await shiftClock(database, -3_600_000);
    expect((await limiter.take('p', NOW)).isAllowed).toBe(false);
    await shiftClock(database, 60_000);
    expect((await limiter.take('p', NOW)).isAllowed).toBe(true);
  });

  it('removes full buckets', async () => {
    const database = await withDatabase('postgres');
    const limiter = database.rateLimiter(1_000_000);
    await limiter.take('old', NOW);
    await shiftClock(database, 61_000);
    for (let call = 0; call < 1_000; call++) await limiter.take('p', NOW);
    await expect.poll(() => principals(database)).toEqual(['p']);
  });
});

/** Advances the server's clock, as far as buckets are concerned. */
async function shiftClock(database: Database, ms: number): Promise<void> {
  await database.transact([], (tx) =>
    sql`update rate_bucket set refilled_at = refilled_at - ${sql.lit(ms)}`.execute(tx),
  );
}

async function principals({ query }: Database): Promise<string[]> {
  const { rows } = await sql<{ principal: string }>`select principal from rate_bucket`.execute(query);
  return rows.map(({ principal }) => principal);
}
