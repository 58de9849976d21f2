import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Payer } from '../../src/ledger/payer.js';
import type { Database } from '../../src/store/database.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
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

describe.each(DATABASE_KINDS)('several processes on one database: %s', (kind) => {
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
    for (const { ledger, usage, database } of processes) {
      const found = (await usage.usageOf([PAYER.apiKeyHash], NOW)).get(PAYER.apiKeyHash);
      expect(found?.byokUsage.total).toBe(spent);
      expect(await ledger.reserve('late', spendRequest({ limits }), NOW)).toMatchObject({ kind: 'blocked' });
      expect(await ledgerViolations(database)).toEqual([]);
      expect(await reservedSums(database)).toEqual({});
    }
  });

  it('lose nothing when ten of them charge a thousand keys of many accounts at once', async () => {
    const processes = await openMany(kind, 10);
    const payers = Array.from({ length: 1_000 }, (_, index): Payer => {
      const account = index % 20;
      const ids = { accountId: `account-${account}`, workspaceId: `workspace-${account}` };
      return { ...ids, apiKeyHash: `key-${index}`, userId: `user-${index % 50}` };
    });
    await Promise.all(
      payers.map(async (payer, index) => {
        for (const offset of [0, 1]) {
          const { ledger, generations } = processes[(index + offset) % 10] ?? raise();
          const id = `gen-${index}-${offset}`;
          await ledger.reserve(id, spendRequest({ payer }), EXPIRY);
          await generations.settle(unsettledGeneration(id, { ...payer, byokKeyId: 'b' }), byokCharge(COST));
        }
      }),
    );
    const { usage, database } = processes[0] ?? raise();
    const found = await usage.usageOf(
      payers.map(({ apiKeyHash }) => apiKeyHash),
      NOW,
    );
    expect([...found.values()].filter(({ byokUsage }) => byokUsage.total === 2n * COST)).toHaveLength(1_000);
    expect(await ledgerViolations(database)).toEqual([]);
    expect(await reservedSums(database)).toEqual({});
  }, 120_000);
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
  await forEachPayer((payer) => stores.ledger.reserve(payer.apiKeyHash, spendRequest({ payer }), EXPIRY));
  await forEachPayer((payer) => reversed.ledger.extend(payer.apiKeyHash, spendRequest({ payer })));
  await forEachPayer((payer, index) =>
    reversed.generations.settle(
      unsettledGeneration(payer.apiKeyHash, { ...payer, byokKeyId: 'b' }),
      byokCharge(BigInt(index)),
    ),
  );
  expect(await ledgerViolations(database)).toEqual([]);
  expect(await reservedSums(database)).toEqual({});
});

async function openMany(kind: (typeof DATABASE_KINDS)[number], count: number) {
  const url = await temporaryDatabaseUrl(kind);
  const databases: Database[] = [];
  for (let index = 0; index < count; index++) databases.push(await openDuringTest(url));
  return databases.map((database) => openLedgerStores(database));
}

function raise(): never {
  throw new Error('there is no such process');
}
