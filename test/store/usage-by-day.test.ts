import { describe, expect, test } from 'vitest';
import { DEFAULT_GROUPS } from '../../src/accounts/activity.js';
import { fillDaysStep } from '../../src/store/usage/daily-fill.js';
import { usageViolations } from '../../src/store/usage/usage-check.js';
import { startFillingUsage } from '../../src/store/usage/usage-fill.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest, withDatabase } from '../support/database.js';
import { fillOldDatabase, usageOf } from './old-usage.js';
import { NOW, openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from './spending.js';

const DAY_MS = 86_400_000;

/** Over two days, with more models than are added in a step. */
const RECORDS = Array.from({ length: 1_300 }, (_, index) => ({
  model: `m-${index % 600}`,
  created_at: NOW - (index % 2) * DAY_MS,
}));

describe.each(DATABASE_KINDS)('usage on %s', (kind) => {
  test('by day says what the rollups say, for every grouping and filter', async () => {
    const database = await withDatabase(kind);
    const { generations } = openLedgerStores(database);
    const settle = (index: number) =>
      generations.settle(
        unsettledGeneration(`g-${index}`, {
          createdAt: NOW - (index % 5) * DAY_MS,
          workspaceId: `workspace-${index % 3}`,
          apiKeyHash: `key-${index % 7}`,
          model: `m-${index % 2}`,
          provider: index % 4 === 0 ? null : 'demo',
          api: index % 6 === 0 ? 'messages' : 'chat',
        }),
        sharedCharge(BigInt(index)),
      );
    await Promise.all(Array.from({ length: 60 }, (_, index) => settle(index)));
    for (let index = 60; index < 70; index++) await settle(index);
    await generations.settle(
      unsettledGeneration('other', { accountId: 'other', workspaceId: 'other' }),
      sharedCharge(1n),
    );
    expect(await usageViolations(database)).toEqual([]);
    const groups = ['date', 'model', 'provider', 'workspace', 'api'] as const;
    const filters = [
      {},
      { workspaceId: 'workspace-1' },
      { fromMs: NOW - 3 * DAY_MS, beforeMs: NOW },
      { workspaceId: 'workspace-2', beforeMs: NOW },
      { workspaceId: 'workspace-2', apiKeyHash: 'key-2' },
    ];
    const finer = [DEFAULT_GROUPS, ['api_key'], ['hour', 'user']] as const;
    const groupings = [...groups.map((group) => [group]), ['date', 'workspace'], groups, ...finer] as const;
    const questions = filters.flatMap((filter) => groupings.map((groupBy) => ({ ...filter, groupBy })));
    const answers = () => Promise.all(questions.map((question) => usageOf(database, question)));
    const byDay = await answers();
    // Makes readers believe that the days are not filled yet.
    const mark = { account_id: PAYER.accountId, reverse_day: -99_999, added: 0 };
    await database.transact([], (tx) => tx.insertInto('usage_daily_fill').values(mark).execute());
    expect(byDay).toEqual(await answers());
    expect(byDay.every(({ records }) => records.length > 0)).toBe(true);
  });

  test('by day from before there were days is shown at any time while it is added, in steps, under chats', async () => {
    const url = await emptyDatabaseUrl(kind);
    await fillOldDatabase(url, '0008', RECORDS);
    const database = await openDuringTest(url);
    const { generations } = openLedgerStores(database);
    let settled = 0;
    const expectAll = async () => {
      const { records } = await usageOf(database, { groupBy: ['date'] });
      expect(records.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_300 + settled);
      expect(await usageViolations(database)).toEqual([]);
    };
    let steps = 0;
    await expectAll();
    while (await fillDaysStep(database)) {
      steps += 1;
      const fields = { model: `m-${steps}`, createdAt: NOW - (steps % 3) * DAY_MS };
      await generations.settle(unsettledGeneration(`new-${steps}`, fields), sharedCharge(1n));
      settled += 1;
      await expectAll();
    }
    expect(steps).toBeGreaterThan(5);
    expect(await database.query.selectFrom('usage_daily_fill').selectAll().execute()).toEqual([]);
  });

  test.each([
    ['rollups', '0007'],
    ['days', '0008'],
  ] as const)(
    'from before there were %s is filled in by several processes at once, and each record is counted once',
    async (_, since) => {
      const url = await emptyDatabaseUrl(kind);
      await fillOldDatabase(url, since, RECORDS);
      const processes = await Promise.all([openDuringTest(url), openDuringTest(url)]);
      const stops = processes.map(startFillingUsage);
      const [database = await openDuringTest(url)] = processes;
      const pending = async () => [
        ...(await database.query.selectFrom('usage_fill').selectAll().execute()),
        ...(await database.query.selectFrom('usage_daily_fill').selectAll().execute()),
      ];
      expect(await pending()).not.toEqual([]);
      await expect.poll(pending, { timeout: 20_000 }).toEqual([]);
      await Promise.all(stops.map((stop) => stop()));
      for (const groupBy of [DEFAULT_GROUPS, ['model'] as const]) {
        const { records } = await usageOf(database, { groupBy, limit: 1_000 });
        expect(records.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_300);
      }
      expect(await usageViolations(database)).toEqual([]);
    },
  );

  test('by day that differs from the rollups is found', async () => {
    const database = await withDatabase(kind);
    await openLedgerStores(database).generations.settle(unsettledGeneration('a'), sharedCharge(1n));
    const change = (requests: number) =>
      database.transact([], (tx) => tx.updateTable('usage_daily').set({ requests }).execute());
    await change(2);
    expect((await usageViolations(database)).sort()).toEqual([
      'usage of demo/echo in all workspaces of account account on 2026-03-18 differs from its rollups',
      'usage of demo/echo in workspace workspace of account account on 2026-03-18 differs from its rollups',
    ]);
    await change(1);
    expect(await usageViolations(database)).toEqual([]);
  });
});
