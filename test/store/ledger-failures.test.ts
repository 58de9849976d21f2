import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { databaseUnavailable } from '../../src/store/engine/unavailable.js';
import { openDatabase } from '../../src/store/open.js';
import { type DatabaseKind, makeDatabase, optionsFor, usualKind, withDatabase } from '../support/database.js';
import {
  byokCharge,
  ledgerViolations,
  MINUTE_MS,
  NOW,
  openLedgerStores,
  reservedSums,
  sharedCharge,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const EXPIRY = NOW + MINUTE_MS;

/** More steps than the group has; each statement and each commit is a step, also in retries. */
const MAX_STEPS = 120;

/** On SQLite reservations are no steps. */
const MIN_STEPS: Readonly<Record<DatabaseKind, number>> = { sqlite: 10, postgres: 20 };

/** A database in which some steps fail after `arm` was called: after their statement, or instead of the commit. */
function failingDatabase(database: Database, shouldFail: (step: number) => boolean) {
  let [step, isArmed] = [-1, false];
  const next = () => {
    if (!isArmed) return;
    step += 1;
    if (shouldFail(step)) throw new Error('the disk is on fire');
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
    writeOptimistically: async (names, { unless, writes, onCommit }) => {
      const isWritten = await database.transactWithLocks(names, async (db) => {
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
      });
      if (isWritten) onCommit();
      return isWritten;
    },
  };
  const arm = () => {
    isArmed = true;
  };
  return { database: failing, steps: () => step + 1, arm };
}

/**
 * Runs every operation of the ledger once, all concurrently, or only those that can run on cached balances. Returns
 * which of them were fulfilled.
 */
async function runAllOperations(
  { ledger, generations, credits }: ReturnType<typeof openLedgerStores>,
  isOptimistic: boolean,
): Promise<readonly boolean[]> {
  const unlessOptimistic = (operation: () => Promise<unknown>) =>
    isOptimistic ? Promise.reject() : operation();
  const outcomes = await Promise.allSettled([
    ledger.reserve('new', spendRequest(), EXPIRY),
    unlessOptimistic(() => ledger.extend('open-1', spendRequest())),
    generations.settle(unsettledGeneration('open-2', { byokKeyId: 'b' }), byokCharge(30_000n * 10n ** 9n)),
    generations.settle(unsettledGeneration('open-3'), sharedCharge(5n)),
    generations.settle(unsettledGeneration('open-4', { provider: null }), null),
    generations.settle(unsettledGeneration('done'), sharedCharge(5n)),
    unlessOptimistic(() =>
      credits.addTopUp({ id: 'top-up', accountId: 'none', amountNanoUsd: 7n, note: null, createdAt: NOW }),
    ),
    unlessOptimistic(() => ledger.sweep(EXPIRY - 1)),
  ]);
  return outcomes.map(({ status }) => status === 'fulfilled');
}

/** Runs `work` on a ledger with some history, in which some of the following steps fail. */
async function withFailures<T>(
  isOptimistic: boolean,
  shouldFail: (step: number) => boolean,
  work: (context: {
    database: Database;
    stores: ReturnType<typeof openLedgerStores>;
    steps: () => number;
  }) => Promise<T>,
): Promise<T> {
  const { url, remove } = await makeDatabase();
  const database = await openDatabase(url, optionsFor(url));
  try {
    const failing = failingDatabase(database, shouldFail);
    const stores = openLedgerStores(failing.database);
    // Other stores have nothing cached; but reservations in memory are those of the stores that made them.
    await prepare(isOptimistic || database.exclusive ? stores : openLedgerStores(database));
    failing.arm();
    return await work({ database, stores, steps: failing.steps });
  } finally {
    await database.close();
    await remove();
  }
}

async function prepare({ ledger, generations }: ReturnType<typeof openLedgerStores>): Promise<void> {
  await generations.settle(unsettledGeneration('done'), sharedCharge(3n));
  for (const index of [1, 2, 3, 4, 5]) {
    await ledger.reserve(`open-${index}`, spendRequest(), index === 5 ? EXPIRY - 1 : EXPIRY);
  }
}

/** Which of the settlements have left their records. */
async function recorded({ query }: Database): Promise<readonly boolean[]> {
  const generations = await query.selectFrom('generation').select('id').execute();
  return ['open-2', 'open-3', 'open-4'].map((id) => generations.some((row) => row.id === id));
}

/** What is reserved for each subject after the operations that were fulfilled. */
function reservedAfter(fulfilled: readonly boolean[]): bigint {
  const [reserve, extend, first, second, third, , , sweep] = fulfilled;
  const count = (...outcomes: readonly (boolean | undefined)[]) => outcomes.filter(Boolean).length;
  return 10n * BigInt(5 + count(reserve, extend) - count(first, second, third, sweep));
}

describe('a store that fails at any step leaves totals that equal the ledger', () => {
  it.each([
    ['once', false, (failingStep: number) => (step: number) => step === failingStep],
    ['from then on', false, (failingStep: number) => (step: number) => step >= failingStep],
    ['once, on cached balances', true, (failingStep: number) => (step: number) => step === failingStep],
    [
      'from then on, on cached balances',
      true,
      (failingStep: number) => (step: number) => step >= failingStep,
    ],
  ])(
    '%s',
    async (_, isOptimistic, failAt) => {
      await withFailures(
        isOptimistic,
        () => false,
        async ({ stores, steps }) => {
          const fulfilled = await runAllOperations(stores, isOptimistic);
          expect(fulfilled).toEqual([
            true,
            !isOptimistic,
            true,
            true,
            true,
            false,
            !isOptimistic,
            !isOptimistic,
          ]);
          expect(steps()).toBeLessThan(MAX_STEPS);
        },
      );
      let [hasFailed, failingStep] = [true, 0];
      for (; hasFailed; failingStep++) {
        hasFailed = await withFailures(
          isOptimistic,
          failAt(failingStep),
          async ({ database, stores, steps }) => {
            const fulfilled = await runAllOperations(stores, isOptimistic);
            expect(await ledgerViolations(database)).toEqual([]);
            expect(await recorded(database)).toEqual(fulfilled.slice(2, 5));
            const reserved = await reservedSums(database.exclusive ? stores : openLedgerStores(database));
            expect(new Set(Object.values(reserved))).toEqual(new Set([reservedAfter(fulfilled)]));
            return steps() > failingStep;
          },
        );
      }
      expect(failingStep).toBeGreaterThan(MIN_STEPS[usualKind()]);
    },
    90_000,
  );
});

it('on SQLite nothing is admitted after a failed settlement until a write has succeeded', async () => {
  const database = await withDatabase('sqlite');
  let isFull = false;
  const refuse = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isFull) throw databaseUnavailable(new Error('the disk is full'));
    return work();
  };
  const { ledger, generations } = openLedgerStores({
    ...database,
    writeOptimistically: (...decided) => refuse(() => database.writeOptimistically(...decided)),
    ping: () => refuse(() => database.ping()),
  });
  const reserve = (id: string) => ledger.reserve(id, spendRequest(), EXPIRY);
  const settle = (id: string) =>
    generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(7n));
  const unavailable = expect.objectContaining({ reason: 'database_unavailable' });
  await reserve('a');
  isFull = true;
  expect(await reserve('b')).toMatchObject({ kind: 'admitted' });
  await expect(settle('a')).rejects.toEqual(unavailable);
  await expect(reserve('c')).rejects.toEqual(unavailable);
  isFull = false;
  expect(await reserve('c')).toMatchObject({ kind: 'admitted' });
  for (const id of ['a', 'b', 'c']) await settle(id);
  expect(await ledger.sweep(EXPIRY)).toBe(0);
  expect(await ledgerViolations(database)).toEqual([]);
});
