import { expect, test } from 'vitest';
import { type TableStats, tableStats } from '../../src/store/maintenance/table-stats.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';
import { byokCharge, NOW, openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from './spending.js';

const DAY_MS = 86_400_000;

const ACCOUNT = { id: PAYER.accountId, name: 'a', plan: 'enterprise', owner_user_id: 'u' } as const;

test.each(DATABASE_KINDS)(
  'on %s each table is shown with its rows, its bytes, its oldest row and its growth',
  async (kind) => {
    const database = await withDatabase(kind);
    await database.transact(['identity'], async (tx) => {
      await tx
        .insertInto('account')
        .values({ ...ACCOUNT, created_at: NOW - 2 * DAY_MS })
        .execute();
    });
    const { generations } = openLedgerStores(database);
    const oldest = NOW - 30 * DAY_MS;
    await generations.settle(
      unsettledGeneration('old', { createdAt: oldest, byokKeyId: 'key' }),
      byokCharge(1n),
    );
    for (let index = 0; index < 14; index++) {
      const createdAt = NOW - Math.floor(index / 2) * DAY_MS;
      await generations.settle(unsettledGeneration(`new-${index}`, { createdAt }), sharedCharge(1n));
    }
    const stats = await tableStats(database, NOW);
    const of = (name: string): TableStats | undefined => stats.find(({ table }) => table === name);
    expect(of('generation')).toMatchObject({ rows: 15, oldest, rowsADay: 2 });
    expect(of('ledger_entry')).toMatchObject({ rows: 15, oldest, rowsADay: 2 });
    expect(of('usage_rollup')).toMatchObject({ rows: 8, oldest: oldest - (oldest % DAY_MS) });
    // Younger than the days that growth is averaged over.
    expect(of('account')).toMatchObject({ rows: 1, oldest: NOW - 2 * DAY_MS, rowsADay: 0.5 });
    expect(of('revision')).toMatchObject({ oldest: null, rowsADay: null });
    expect(of('batch')).toMatchObject({ rows: 0, oldest: null, rowsADay: null });
    expect(stats.every(({ bytes }) => bytes > 0)).toBe(true);
    expect(stats.map(({ bytes }) => bytes)).toEqual(stats.map(({ bytes }) => bytes).sort((a, b) => b - a));
  },
);
