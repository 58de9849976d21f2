import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { applyDelta, charge, emptyBalance } from '../../src/ledger/balance/balance.js';
import { latestInstant, windowStart } from '../../src/ledger/balance/windows.js';
import { subjects } from '../../src/ledger/payer.js';
import { bringBackFutureWindows } from '../../src/store/ledger/future-windows.js';
import { wholeTotalRow } from '../../src/store/ledger/ledger-rows.js';
import { createStores } from '../../src/store/stores.js';
import { clockAt } from '../support/clock.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import {
  byokCharge,
  keyLimit,
  ledgerViolations,
  NOW,
  PAYER,
  sharedCharge,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const DAY_MS = 86_400_000;

describe.each(DATABASE_KINDS)('windows that begin in the future, on %s', (kind) => {
  async function chargedAt(days: readonly number[]) {
    const database = await openDuringTest(await temporaryDatabaseUrl(kind));
    const clock = clockAt(NOW + Math.min(...days) * DAY_MS);
    const { generations } = createStores(database, { clock, ids: systemIds });
    for (const day of days) {
      clock.set(NOW + day * DAY_MS);
      const charge = day % 2 === 0 ? sharedCharge(7n) : byokCharge(5n);
      await generations.settle(unsettledGeneration(`gen-${day}`, { createdAt: clock.now() }), charge);
    }
    return database;
  }

  it('become the current ones at the next start: nothing is lost, and they end with them', async () => {
    const database = await chargedAt([-40, 0, 400, 401, 470]);
    expect((await bringBackFutureWindows(database, NOW)).map(({ subject }) => subject)).toContain(
      subjects.key(PAYER.apiKeyHash),
    );
    expect(await ledgerViolations(database)).toEqual([]);
    const row = await database.query
      .selectFrom('spend_total')
      .selectAll()
      .where('subject', '=', subjects.key(PAYER.apiKeyHash))
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      credit_nano_usd: 28n,
      daily_start: windowStart('daily', NOW),
      daily_credit_nano_usd: 21n,
      daily_byok_nano_usd: 5n,
      monthly_start: windowStart('monthly', NOW),
      monthly_credit_nano_usd: 21n,
      previous_monthly_credit_nano_usd: 7n,
    });
    const { ledger } = createStores(database, { clock: clockAt(NOW), ids: systemIds });
    const admits = async (at: number) => {
      const limits = [keyLimit(26n, { interval: 'daily' })];
      return (await ledger.reserve(`gen-at-${at}`, spendRequest({ at, limits }), at + 60_000)).kind;
    };
    expect(await admits(NOW)).toBe('blocked');
    expect(await admits(NOW + DAY_MS)).toBe('admitted');
  });

  it('are left alone when they begin within a minute', async () => {
    const database = await chargedAt([0, 1]);
    const midnight = windowStart('daily', NOW + DAY_MS);
    expect(await bringBackFutureWindows(database, midnight - 60_000)).toEqual([]);
    expect(await bringBackFutureWindows(database, midnight - 60_001)).not.toEqual([]);
    const { daily_start } = await database.query
      .selectFrom('spend_total')
      .select('daily_start')
      .where('subject', '=', subjects.account(PAYER.accountId))
      .executeTakeFirstOrThrow();
    expect(daily_start).toBe(windowStart('daily', latestInstant(midnight - 60_001)));
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('come back in each of 2,000 accounts, and stay away', async () => {
    const database = await chargedAt([0]);
    const ahead = (index: number) => {
      const spend = { creditNanoUsd: 7n, byokNanoUsd: 0n };
      const subject = subjects.account(`account-${index}`);
      return wholeTotalRow(applyDelta(emptyBalance(subject), charge(spend, NOW + 30 * DAY_MS)));
    };
    const rows = Array.from({ length: 2_000 }, (_, index) => ahead(index));
    await database.transactWithLocks([], async (db) => {
      for (let index = 0; index < rows.length; index += 100) {
        await db
          .insertInto('spend_total')
          .values(rows.slice(index, index + 100))
          .execute();
      }
      return { result: undefined, writes: [] };
    });
    expect(await bringBackFutureWindows(database, NOW)).toHaveLength(2_000);
    expect(await bringBackFutureWindows(database, NOW)).toEqual([]);
  });

  it('do not come back with requests that began while the clock was ahead', async () => {
    const database = await chargedAt([0]);
    const { generations } = createStores(database, { clock: clockAt(NOW), ids: systemIds });
    const createdAt = NOW + 30 * DAY_MS;
    await generations.settle(unsettledGeneration('late', { createdAt }), sharedCharge(7n));
    expect(await bringBackFutureWindows(database, NOW)).toEqual([]);
    expect(await ledgerViolations(database)).toEqual([]);
  });
});
