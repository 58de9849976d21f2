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

/** A database of which some steps fail from `arm` on: after their statement was run, or instead of a commit. */
function faulty(database: Database, isFault: (step: number) => boolean) {
  let [step, isArmed] = [-1, false];
  const next = () => {
    if (!isArmed) return;
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
    transactWithLocks: (names, work) =>
      database.transactWithLocks(names, async (db) => {
        const { result, writes } = await work(db.withPlugin(plugin));
        for (const write of writes) {
          await db.executeQuery(write);
          next();
        }
        next();
        return { result, writes: [] };
      }),
    writeOptimistically: (names, { unless, writes }) =>
      database.transactWithLocks(names, async (db) => {
        for (const query of unless) {
          const { rows } = await db.executeQuery(query);
          next();
          if (rows.length > 0) return { result: false, writes: [] };
        }
        for (const write of writes) {
          await db.executeQuery(write);
          next();
        }
        next();
        return { result: true, writes: [] };
      }),
  };
  const arm = () => {
    isArmed = true;
  };
  return { database: failing, steps: () => step + 1, arm };
}

/**
 * Every act of the books once, all at the same time, or only those that go by what is remembered, where that can be;
 * what was kept.
 */
async function actAll(
  { book, generations, credits }: ReturnType<typeof openBooks>,
  isAhead: boolean,
): Promise<readonly boolean[]> {
  const unlessAhead = (act: () => Promise<unknown>) => (isAhead ? Promise.reject() : act());
  const outcomes = await Promise.allSettled([
    book.reserve('new', spendRequest(), EXPIRY),
    unlessAhead(() => book.extend('open-1', spendRequest())),
    generations.settle(unsettled('open-2', { byokKeyId: 'b' }), byokCharge(30_000n * 10n ** 9n)),
    generations.settle(unsettled('open-3'), sharedCharge(5n)),
    generations.settle(unsettled('open-4', { provider: null }), null),
    generations.settle(unsettled('done'), sharedCharge(5n)),
    unlessAhead(() =>
      credits.addTopUp({ id: 'top-up', accountId: 'none', amountNanoUsd: 7n, createdAt: NOW }),
    ),
    unlessAhead(() => book.sweep(EXPIRY - 1)),
  ]);
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/** Runs `work` on books with a past, of which some further steps fail; closed before the next ones are opened. */
async function during<T>(
  isAhead: boolean,
  isFault: (step: number) => boolean,
  work: (parts: {
    database: Database;
    books: ReturnType<typeof openBooks>;
    steps: () => number;
  }) => Promise<T>,
): Promise<T> {
  const { url, remove } = await makeDatabase();
  const database = await openDatabase(url);
  try {
    const failing = faulty(database, isFault);
    const books = openBooks(failing.database);
    await prepare(isAhead ? books : openBooks(database));
    failing.arm();
    return await work({ database, books, steps: failing.steps });
  } finally {
    await database.close();
    await remove();
  }
}

async function prepare({ book, generations }: ReturnType<typeof openBooks>): Promise<void> {
  await generations.settle(unsettled('done'), sharedCharge(3n));
  for (const index of [1, 2, 3, 4, 5]) {
    await book.reserve(`open-${index}`, spendRequest(), index === 5 ? EXPIRY - 1 : EXPIRY);
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
    ['once', false, (fault: number) => (step: number) => step === fault],
    ['from then on', false, (fault: number) => (step: number) => step >= fault],
    ['once, by what is remembered', true, (fault: number) => (step: number) => step === fault],
    ['from then on, by what is remembered', true, (fault: number) => (step: number) => step >= fault],
  ])(
    '%s',
    async (_, isAhead, faultAt) => {
      await during(
        isAhead,
        () => false,
        async ({ books, steps }) => {
          const undisturbed = await actAll(books, isAhead);
          expect(undisturbed).toEqual([true, !isAhead, true, true, true, false, !isAhead, !isAhead]);
          expect(steps()).toBeLessThan(STEPS);
        },
      );
      let [hasFailed, fault] = [true, 0];
      for (; hasFailed; fault++) {
        hasFailed = await during(isAhead, faultAt(fault), async ({ database, books, steps }) => {
          const fulfilled = await actAll(books, isAhead);
          expect(await moneyFaults(database)).toEqual([]);
          expect(await keptOf(database)).toEqual(fulfilled.slice(0, 5));
          return steps() > fault;
        });
      }
      expect(fault).toBeGreaterThan(20);
    },
    90_000,
  );
});
