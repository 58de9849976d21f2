import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Payer, subjectsOf } from '../../src/ledger/payer.js';
import type { Database } from '../../src/store/database/database.js';
import { LASTING } from '../../src/store/ledger/ledger-store.js';
import { openDatabase } from '../../src/store/open.js';
import {
  DATABASE_KINDS,
  type DatabaseKind,
  openDuringTest,
  optionsFor,
  temporaryDatabaseUrl,
  withDatabase,
} from '../support/database.js';
import { dumpDatabase } from '../support/dump.js';
import {
  byokCharge,
  keyLimit,
  ledgerViolations,
  MINUTE_MS,
  NOW,
  openLedgerStores,
  PAYER,
  reservedSums,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const COST = 10n;

const EXPIRY = NOW + MINUTE_MS;

/** One process has the ledger of a SQLite file. */
const PROCESSES: Readonly<Record<DatabaseKind, string>> = {
  sqlite: 'the one process of a SQLite file',
  postgres: 'several processes on PostgreSQL',
};

describe.each(DATABASE_KINDS.map((kind) => [PROCESSES[kind], kind] as const))('%s', (_processes, kind) => {
  it.each([
    ['a key that has been used', true, 95n],
    ['the first use of a key', false, 100n],
    ['a budget for a single request', false, 1n],
  ])('admit no more than the limit allows: %s', async (_, isUsed, limitNanoUsd) => {
    const processes = await openMany(kind, 3);
    const [first] = processes;
    if (isUsed)
      await first?.generations.settle(unsettledGeneration('before', { byokKeyId: 'b' }), byokCharge(5n));
    const limits = [keyLimit(limitNanoUsd)];
    const admitted = await Promise.all(
      processes.flatMap(({ ledger, generations }, process) =>
        Array.from({ length: 67 }, async (_, index) => {
          const id = `gen-${process}-${index}`;
          const { kind } = await ledger.reserve(id, spendRequest({ limits }), EXPIRY);
          if (kind !== 'admitted') return false;
          await generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(COST));
          return true;
        }),
      ),
    );
    const count = BigInt(admitted.filter((isAdmitted) => isAdmitted).length);
    const spent = count * COST + (isUsed ? 5n : 0n);
    expect(spent).toBeGreaterThanOrEqual(limitNanoUsd);
    expect(spent).toBeLessThan(limitNanoUsd + COST);
    for (const one of processes) {
      const { ledger, usage, database } = one;
      const found = (await usage.usageOf([PAYER.apiKeyHash], NOW)).get(PAYER.apiKeyHash);
      expect(found?.byokUsage.total).toBe(spent);
      expect(await ledger.reserve('late', spendRequest({ limits }), NOW)).toMatchObject({ kind: 'blocked' });
      expect(await ledgerViolations(database)).toEqual([]);
      expect(await reservedSums(one)).toEqual({});
    }
  });

  it('lose nothing when ten of them charge a thousand keys of many accounts at once', async () => {
    const processes = await openMany(kind, 10);
    const payers = Array.from({ length: 1_000 }, (_, index): Payer => {
      const account = index % 20;
      const ids = { accountId: `account-${account}`, workspaceId: `workspace-${account}` };
      return { ...PAYER, ...ids, apiKeyHash: `key-${index}`, userId: `user-${index % 50}` };
    });
    await Promise.all(
      payers.map(async (payer, index) => {
        for (const offset of [0, 1]) {
          const { ledger, generations } = processes[(index + offset) % processes.length] ?? raise();
          const id = `gen-${index}-${offset}`;
          await ledger.reserve(id, spendRequest({ payer }), EXPIRY);
          await generations.settle(unsettledGeneration(id, { ...payer, byokKeyId: 'b' }), byokCharge(COST));
        }
      }),
    );
    const first = processes[0] ?? raise();
    const { usage, database } = first;
    const found = await usage.usageOf(
      payers.map(({ apiKeyHash }) => apiKeyHash),
      NOW,
    );
    expect([...found.values()].filter(({ byokUsage }) => byokUsage.total === 2n * COST)).toHaveLength(1_000);
    expect(await ledgerViolations(database)).toEqual([]);
    expect(await reservedSums(first)).toEqual({});
  }, 120_000);
});

it('a process beside the one that has the ledger of a SQLite file can neither reserve nor charge nor credit', async () => {
  const url = await temporaryDatabaseUrl('sqlite');
  const [database, otherDatabase] = [await openDuringTest(url), await openDuringTest(url)];
  const [one, other] = [openLedgerStores(database), openLedgerStores(otherDatabase)];
  await one.ledger.reserve('gen-1', spendRequest(), EXPIRY);
  const before = await dumpDatabase(database);
  const refused = /^process \d+ on .* serves from .* already/;
  const topUp = { id: 'top-up', accountId: PAYER.accountId, amountNanoUsd: 1n, note: null, createdAt: NOW };
  await expect(other.ledger.reserve('gen-2', spendRequest(), EXPIRY)).rejects.toThrow(refused);
  await expect(other.ledger.extend('gen-1', spendRequest())).rejects.toThrow(refused);
  await expect(other.generations.settle(unsettledGeneration('gen-1'), byokCharge(COST))).rejects.toThrow(
    refused,
  );
  await expect(other.credits.addTopUp(topUp)).rejects.toThrow(refused);
  expect(await other.ledger.sweep(EXPIRY)).toBe(0);
  expect(await dumpDatabase(database)).toBe(before);
  await one.generations.settle(unsettledGeneration('gen-1', { byokKeyId: 'b' }), byokCharge(COST));
  const found = (await other.usage.usageOf([PAYER.apiKeyHash], NOW)).get(PAYER.apiKeyHash);
  expect(found?.byokUsage.total).toBe(COST);
  await database.close();
  expect(await other.ledger.reserve('gen-2', spendRequest(), EXPIRY)).toMatchObject({ kind: 'admitted' });
});

it('the end of a process leaves nothing reserved on SQLite but what is to last', async () => {
  const url = await temporaryDatabaseUrl('sqlite');
  const database = await openDatabase(url, optionsFor(url));
  const ended = openLedgerStores(database);
  await ended.ledger.reserve('gen-1', spendRequest(), EXPIRY);
  await ended.reserveStored('batch', LASTING, EXPIRY);
  expect(Object.values(await reservedSums(ended))).toEqual(subjectsOf(PAYER).map(() => 20n));
  await database.close();
  const next = openLedgerStores(await openDuringTest(url));
  expect(Object.values(await reservedSums(next))).toEqual(subjectsOf(PAYER).map(() => 10n));
  expect(await ledgerViolations(next.database)).toEqual([]);
});

it('what another program has changed in a SQLite file counts from the next turn of the event loop on', async () => {
  const url = await temporaryDatabaseUrl('sqlite');
  const stores = openLedgerStores(await openDuringTest(url));
  const limits = [keyLimit(20n)];
  await stores.ledger.reserve('gen-1', spendRequest({ limits }), EXPIRY);
  await stores.generations.settle(unsettledGeneration('gen-1', { byokKeyId: 'b' }), byokCharge(COST));
  const ask = (id: string) => stores.ledger.reserve(id, spendRequest({ limits }), EXPIRY);
  expect(await ask('gen-2')).toMatchObject({ kind: 'admitted' });
  const other = await openDuringTest(url);
  const setSpent = async (byok_nano_usd: bigint) => {
    await other.transact([], (tx) => tx.updateTable('spend_total').set({ byok_nano_usd }).execute());
    await nextTurn();
  };
  await setSpent(0n);
  expect(await ask('gen-3')).toMatchObject({ kind: 'admitted' });
  await setSpent(COST);
  expect(await ask('gen-4')).toMatchObject({ kind: 'held' });
});

it('the order of the rows that the database returns makes no difference', async () => {
  const database = await withDatabase();
  const reversing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({ ...result, rows: result.rows.toReversed() }),
  };
  const stores = openLedgerStores(database);
  const reversed = openLedgerStores({
    ...database,
    transactWithLocks: (names, work) =>
      database.transactWithLocks(names, (db) => work(db.withPlugin(reversing))),
  });
  const payers = ['x', 'y', 'z'].map((name) => ({ ...PAYER, apiKeyHash: name, userId: `user-${name}` }));
  const forEachPayer = (operation: (payer: Payer, index: number) => Promise<unknown>) =>
    Promise.all(payers.map(operation));
  await forEachPayer((payer) => stores.reserveStored(payer.apiKeyHash, LASTING, EXPIRY, payer));
  await forEachPayer((payer) => reversed.ledger.extend(payer.apiKeyHash, spendRequest({ payer })));
  await forEachPayer((payer, index) =>
    reversed.generations.settle(
      unsettledGeneration(payer.apiKeyHash, { ...payer, byokKeyId: 'b' }),
      byokCharge(BigInt(index)),
    ),
  );
  expect(await ledgerViolations(database)).toEqual([]);
  const { query } = database;
  expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
});

/** That many processes on PostgreSQL; the one on SQLite. */
async function openMany(kind: DatabaseKind, count: number) {
  const url = await temporaryDatabaseUrl(kind);
  const databases: Database[] = [];
  for (let index = 0; index < (kind === 'sqlite' ? 1 : count); index++)
    databases.push(await openDuringTest(url));
  return databases.map((database) => openLedgerStores(database));
}

function raise(): never {
  throw new Error('there is no such process');
}
