import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { usageViolations } from '../../src/store/usage/usage-check.js';
import { fillStep } from '../../src/store/usage/usage-fill.js';
import { USAGE_KEY, USAGE_SUM_NAMES } from '../../src/store/usage/usage-rollup.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest, withDatabase } from '../support/database.js';
import { fillOldDatabase, usageOf } from './old-usage.js';
import { byokCharge, NOW, openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from './spending.js';

const HOUR_MS = 3_600_000;

const RECORDS = Array.from({ length: 1_300 }, (_, index) => ({ created_at: NOW + index }));

describe.each(DATABASE_KINDS)('usage on %s', (kind) => {
  test('is summed by the hour in the transaction that records a request', async () => {
    const database = await withDatabase(kind);
    const { generations } = openLedgerStores(database);
    const failed = {
      status: 'failed' as const,
      provider: null,
      providerName: null,
      endpoint: null,
      latencyMs: null,
      generationTimeMs: null,
    };
    await Promise.all([
      generations.settle(unsettledGeneration('a', { promptTokens: 2 ** 40 }), sharedCharge(2n ** 60n)),
      generations.settle(unsettledGeneration('b'), sharedCharge(1n)),
      generations.settle(unsettledGeneration('c', { createdAt: NOW + HOUR_MS }), sharedCharge(1n)),
      generations.settle(unsettledGeneration('d', { byokKeyId: 'key' }), byokCharge(9n)),
      generations.settle(unsettledGeneration('e', failed), null),
      generations.settle(unsettledGeneration('f', { ...failed, status: 'cancelled' }), null),
      generations.settle(unsettledGeneration('g', { accountId: 'other' }), sharedCharge(1n)),
    ]);
    await generations.settle(unsettledGeneration('h'), sharedCharge(1n));
    const rows = await database.query
      .selectFrom('usage_rollup')
      .selectAll()
      .where('account_id', '=', PAYER.accountId)
      .orderBy('provider')
      .orderBy('hour')
      .orderBy('is_byok')
      .execute();
    expect(
      rows.map(({ provider, hour, is_byok, requests, failed }) => [
        provider,
        hour,
        is_byok,
        requests,
        failed,
      ]),
    ).toEqual([
      ['', 12, 0, 2, 1],
      ['demo', 12, 0, 3, 0],
      ['demo', 12, 1, 1, 0],
      ['demo', 13, 0, 1, 0],
    ]);
    expect(rows[1]).toMatchObject({
      tokens_prompt: 2 ** 40 + 2,
      usage_nano_usd: 2n ** 60n + 2n,
      latency_ms_sum: 6,
      latency_count: 3,
      first_token_ms_sum: 3,
      first_token_count: 3,
    });
    expect(rows[0]).toMatchObject({ latency_ms_sum: 0, latency_count: 0, first_token_count: 0 });
    expect(await usageViolations(database)).toEqual([]);
    const { records } = await usageOf(database);
    expect(
      records.map(({ provider, requests, byokUsageNanoUsd }) => [provider, requests, byokUsageNanoUsd]),
    ).toEqual([
      [null, 2, 0n],
      ['demo', 5, 9n],
    ]);
  });

  test('of a request that cannot be recorded is not counted', async () => {
    const database = await withDatabase(kind);
    const { generations } = openLedgerStores(database);
    await generations.settle(unsettledGeneration('a'), sharedCharge(1n));
    await expect(generations.settle(unsettledGeneration('a'), sharedCharge(1n))).rejects.toThrow();
    expect((await usageOf(database)).records).toMatchObject([{ requests: 1, usageNanoUsd: 1n }]);
    expect(await usageViolations(database)).toEqual([]);
  });

  test('from before the rollups is shown at any time while it is added to them, in steps, under chats', async () => {
    const url = await emptyDatabaseUrl(kind);
    await fillOldDatabase(url, '0007', RECORDS);
    const database = await openDuringTest(url);
    const { generations } = openLedgerStores(database);
    let settled = 0;
    const expectAll = async () => {
      const { records } = await usageOf(database);
      expect(records.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_300 + settled);
      expect(records.reduce((sum, { usageNanoUsd }) => sum + usageNanoUsd, 0n)).toBe(
        BigInt(7 * 1_300 + settled),
      );
      expect(await usageViolations(database)).toEqual([]);
    };
    let steps = 0;
    await expectAll();
    while (await fillStep(database)) {
      steps += 1;
      // In the midst of what is still to be added.
      const one = unsettledGeneration(`new-${steps}`, { createdAt: NOW + 900 });
      await generations.settle(one, sharedCharge(1n));
      settled += 1;
      await expectAll();
    }
    expect(steps).toBeGreaterThan(3);
    expect(await database.query.selectFrom('usage_fill').selectAll().execute()).toEqual([]);
  });

  test('is counted to 10,000 rows, and says so', async () => {
    const database = await withDatabase(kind);
    const add = (from: number, to: number) =>
      database.transact([], async (tx) => {
        await sql`
          insert into usage_rollup (${sql.join([...USAGE_KEY, ...USAGE_SUM_NAMES].map((name) => sql.ref(name)))})
          with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(to)})
          select ${PAYER.accountId}, -20000, 'demo/echo', 'demo', 'workspace', 'key' || i, 'user', 'chat', 0, 1,
            1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 from n`.execute(tx);
      });
    await add(1, 10_000);
    expect(await usageOf(database)).toMatchObject({ totalCount: 10_000, isTotalExact: true });
    await add(10_001, 10_002);
    const { records, ...count } = await usageOf(database, { offset: 10_001 });
    expect(count).toEqual({ totalCount: 10_000, isTotalExact: false });
    expect(records).toHaveLength(1);
  });

  test('that differs from the generations is found', async () => {
    const database = await withDatabase(kind);
    await openLedgerStores(database).generations.settle(unsettledGeneration('a'), sharedCharge(1n));
    const change = (requests: number) =>
      database.transact([], (tx) => tx.updateTable('usage_rollup').set({ requests }).execute());
    await change(2);
    expect((await usageViolations(database)).toSorted()).toEqual([
      'usage of demo/echo by key hash of account account on 2026-03-18 differs from its generations',
      'usage of demo/echo in all workspaces of account account on 2026-03-18 differs from its rollups',
      'usage of demo/echo in workspace workspace of account account on 2026-03-18 differs from its rollups',
    ]);
    await change(1);
    expect(await usageViolations(database)).toEqual([]);
  });
});
