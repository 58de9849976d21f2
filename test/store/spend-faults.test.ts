import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { openDatabase } from '../../src/store/open.js';
import { makeDatabase } from '../support/database.js';
import {
  byokCharge,
  MINUTE_MS,
  moneyFaults,
  NOW,
  openBooks,
  sharedCharge,
  spendRequest,
  unsettled,
} from './spending.js';

const EXPIRY = NOW + MINUTE_MS;

/** More steps than the group has, each statement and each commit counted, retries included. */
const STEPS = 120;

/** A database of which some steps fail: after their statement was run, or instead of a commit. */
function faulty(database: Database, isFault: (step: number) => boolean) {
  let step = -1;
  const next = () => {
    step += 1;
    if (isFault(step)) throw new Error('the disk is on fire');
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      next();
      return result;
    },
  };
  const failing: Database = {
    ...database,
    transactOn: (names, work) =>
      database.transactOn(names, async (db) => {
        const { result, writes } = await work(db.withPlugin(plugin));
        for (const write of writes) {
          await db.executeQuery(write);
          next();
        }
        next();
        return { result, writes: [] };
      }),
  };
  return { database: failing, steps: () => step + 1 };
}

/** Every act of the books once, all at the same time; what was kept. */
async function actAll(database: Database): Promise<readonly boolean[]> {
  const { book, generations, credits } = openBooks(database);
  const outcomes = await Promise.allSettled([
    book.reserve('new', spendRequest(), EXPIRY),
    book.extend('open-1', spendRequest()),
    generations.settle(unsettled('open-2', { byokKeyId: 'b' }), byokCharge(30_000n * 10n ** 9n)),
    generations.settle(unsettled('open-3'), sharedCharge(5n)),
    generations.settle(unsettled('open-4', { provider: null }), null),
    generations.settle(unsettled('done'), sharedCharge(5n)),
    credits.addTopUp({ id: 'top-up', accountId: 'none', amountNanoUsd: 7n, createdAt: NOW }),
    book.sweep(EXPIRY - 1),
  ]);
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/** Runs `work` on a database of its own with reservations and a record; closed before the next one is opened. */
async function during<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { url, remove } = await makeDatabase();
  const database = await openDatabase(url);
  try {
    const { book, generations } = openBooks(database);
    await generations.settle(unsettled('done'), sharedCharge(3n));
    for (const index of [1, 2, 3, 4, 5]) {
      await book.reserve(`open-${index}`, spendRequest(), index === 5 ? EXPIRY - 1 : EXPIRY);
    }
    return await work(database);
  } finally {
    await database.close();
    await remove();
  }
}

/** What stands in the tables of all that was asked for. */
async function keptOf({ query }: Database): Promise<readonly boolean[]> {
  const generations = await query.selectFrom('generation').select('id').execute();
  const reservations = await query.selectFrom('reservation').selectAll().execute();
  const isRecorded = (id: string) => generations.some((row) => row.id === id);
  const reservation = (id: string) => reservations.find((row) => row.id === id);
  return [
    reservation('new') !== undefined,
    reservation('open-1')?.sum_nano_usd === 20n,
    ...['open-2', 'open-3', 'open-4'].map(isRecorded),
  ];
}

describe('a store that fails at any step leaves totals that equal the ledger (R5, R18)', () => {
  it.each([
    ['once', (fault: number) => (step: number) => step === fault],
    ['from then on', (fault: number) => (step: number) => step >= fault],
  ])(
    '%s',
    async (_, faultAt) => {
      const calm = await during(async (database) => {
        const undisturbed = faulty(database, () => false);
        return { fulfilled: await actAll(undisturbed.database), steps: undisturbed.steps() };
      });
      expect(calm.fulfilled).toEqual([true, true, true, true, true, false, true, true]);
      expect(calm.steps).toBeLessThan(STEPS);
      let [hasFailed, fault] = [true, 0];
      for (; hasFailed; fault++) {
        hasFailed = await during(async (database) => {
          const failing = faulty(database, faultAt(fault));
          const fulfilled = await actAll(failing.database);
          expect(await moneyFaults(database)).toEqual([]);
          expect(await keptOf(database)).toEqual(fulfilled.slice(0, 5));
          return failing.steps() > fault;
        });
      }
      expect(fault).toBeGreaterThan(20);
    },
    90_000,
  );
});
