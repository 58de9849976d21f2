import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { startMoneyGateway } from '../../support/money.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { CACHE, cacheOf, cacheOfEach } from './cached.js';

describe.runIf(hasPostgres())('two gateways on one PostgreSQL database', () => {
  it('share their answers, which DELETE /cache at one of them takes from both', async () => {
    const env = {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    const first = await startMoneyGateway({ env });
    const second = await startMoneyGateway({ env });
    const ask = (gateway: typeof first) => () => gateway.chat('test/paid', CACHE, first.apiKey);
    expect(await cacheOfEach(ask(first), ask(second), ask(second))).toEqual(['miss', 'hit', 'hit']);
    expect((await first.manage('DELETE', '/cache')).status).toBe(200);
    expect(await cacheOfEach(ask(second), ask(first))).toEqual(['miss', 'hit']);
  });

  it('bound the cache together, however many answers are kept at once', async () => {
    const env = {
      BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
      BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    const gateways = [await startMoneyGateway({ env }), await startMoneyGateway({ env })];
    const secret = gateways[0]?.apiKey;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        gateways[n % 2]?.chat('test/free', { ...CACHE, seed: Math.floor(n / 4) }, secret),
      ),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array(100).fill(200));
    const { query } = (gateways[0] as (typeof gateways)[number]).gateway.database;
    const rows = await query.selectFrom('cached_answer').select('bytes').execute();
    expect(rows).toHaveLength(25);
    expect(await query.selectFrom('cached_answers_size').selectAll().execute()).toEqual([
      { id: 1, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) },
    ]);
    const again = await gateways[1]?.chat('test/free', { ...CACHE, seed: 0 }, secret);
    expect(again && cacheOf(again)).toBe('hit');
  });
});
