import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { subjectsOf } from '../../src/ledger/payer.js';
import { createProcessLease } from '../../src/store/engine/process-lease.js';
import { LASTING } from '../../src/store/ledger/ledger-store.js';
import { restoreLostTotals } from '../../src/store/ledger/totals.js';
import { openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
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
  sharedCharge,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const EXPIRY = NOW + MINUTE_MS;

describe('a reservation', () => {
  it('counts for every subject of a request, grows, and ends with the settlement', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger, generations } = stores;
    expect(await ledger.reserve('gen-1', spendRequest(), EXPIRY)).toMatchObject({ kind: 'admitted' });
    const all = (amount: bigint) => Object.fromEntries(subjectsOf(PAYER).map((subject) => [subject, amount]));
    expect(await reservedSums(stores)).toEqual(all(10n));
    expect(
      await ledger.extend('gen-1', spendRequest({ maxCost: { sharedNanoUsd: 5n, byokNanoUsd: null } })),
    ).toBe(false);
    expect(await ledger.extend('gen-1', spendRequest())).toBe(true);
    expect(await reservedSums(stores)).toEqual(all(20n));
    expect(await ledgerViolations(database)).toEqual([]);
    await generations.settle(unsettledGeneration('gen-1', { byokKeyId: 'b' }), byokCharge(7n));
    expect(await reservedSums(stores)).toEqual({});
    expect(await ledgerViolations(database)).toEqual([]);
    expect(await database.query.selectFrom('reservation').selectAll().execute()).toEqual([]);
  });

  it('is in the balance that explains what an account can pay for', async () => {
    const { database, ledger, credits } = openLedgerStores(await withDatabase());
    const { accountId: id } = PAYER;
    const account = { id, name: 'A', plan: 'pay_as_you_go', owner_user_id: 'u', created_at: NOW } as const;
    await database.transact([], (tx) => tx.insertInto('account').values(account).execute());
    const reserved = async () => (await credits.balanceOf(id))?.balance.reserved.byokNanoUsd;
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    expect(await reserved()).toBe(10n);
    await ledger.sweep(EXPIRY);
    expect(await reserved()).toBe(0n);
  });

  it('ends with a request that costs nothing, too', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { ledger, generations } = stores;
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    await generations.settle(unsettledGeneration('gen-1', { provider: null }), null);
    expect(await reservedSums(stores)).toEqual({});
  });

  it('is neither made nor extended at a limit, and nothing changes then', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger } = stores;
    const limits = [keyLimit(15n)];
    await ledger.reserve('gen-1', spendRequest({ limits }), EXPIRY);
    await ledger.reserve('gen-2', spendRequest({ limits }), EXPIRY);
    const before = await dumpDatabase(database);
    expect(await ledger.reserve('gen-3', spendRequest({ limits }), EXPIRY)).toMatchObject({
      kind: 'held',
      held: { limitNanoUsd: 15n, spentNanoUsd: 0n, reservedNanoUsd: 20n },
      left: null,
    });
    expect(await ledger.extend('gen-1', spendRequest({ limits }))).toBe(false);
    expect(await dumpDatabase(database)).toBe(before);
  });

  it('is raised to what another attempt may cost, as if the request came now', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { ledger } = stores;
    const limits = [keyLimit(15n)];
    const byok = (byokNanoUsd: bigint) =>
      spendRequest({ limits, maxCost: { sharedNanoUsd: null, byokNanoUsd } });
    await ledger.reserve('gen-1', byok(10n), EXPIRY);
    // Alone it may reserve more than the limit, as it might have at first.
    expect(await ledger.raise('gen-1', byok(40n))).toMatchObject({ kind: 'admitted' });
    expect(await ledger.raise('gen-1', byok(30n))).toMatchObject({ kind: 'admitted' });
    expect(new Set(Object.values(await reservedSums(stores)))).toEqual(new Set([40n]));
    expect(await ledger.reserve('gen-2', byok(10n), EXPIRY)).toMatchObject({ kind: 'held' });
    await ledger.sweep(EXPIRY);
    expect(await reservedSums(stores)).toEqual({});
  });

  it('is not raised where other requests hold what is left', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger } = stores;
    const limits = [keyLimit(15n)];
    await ledger.reserve('gen-1', spendRequest({ limits }), EXPIRY);
    await ledger.reserve('gen-2', spendRequest({ limits: [keyLimit(40n)] }), EXPIRY);
    await ledger.reserve('gen-3', spendRequest({ limits: [keyLimit(40n)] }), EXPIRY);
    const before = await dumpDatabase(database);
    expect(await ledger.raise('gen-1', spendRequest({ limits }))).toMatchObject({ kind: 'held' });
    expect(await dumpDatabase(database)).toBe(before);
  });

  it('that was swept meanwhile is not raised: the request goes on without one', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { ledger } = stores;
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    await ledger.sweep(EXPIRY);
    expect(await ledger.raise('gen-1', spendRequest())).toMatchObject({ kind: 'admitted' });
    expect(await reservedSums(stores)).toEqual({});
  });

  it('that was swept meanwhile is neither extended nor ended again: the request is settled without one', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger, generations } = stores;
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    expect(await ledger.sweep(EXPIRY)).toBe(1);
    expect(await ledger.extend('gen-1', spendRequest())).toBe(true);
    expect(await reservedSums(stores)).toEqual({});
    await generations.settle(unsettledGeneration('gen-1', { byokKeyId: 'b' }), byokCharge(7n));
    expect(await reservedSums(stores)).toEqual({});
    expect(await ledgerViolations(database)).toEqual([]);
  });
});

describe('a settlement', () => {
  it('happens once: a second one is rejected and changes nothing', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger, generations } = stores;
    await generations.settle(unsettledGeneration('gen-1'), sharedCharge(7n));
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    const before = await dumpDatabase(database);
    await expect(generations.settle(unsettledGeneration('gen-1'), sharedCharge(7n))).rejects.toThrow();
    expect(await dumpDatabase(database)).toBe(before);
  });

  it('of the same request several times concurrently counts once', async () => {
    const { database, generations, usage } = openLedgerStores(await withDatabase());
    const ids = ['gen-1', 'gen-2', 'gen-1', 'gen-3', 'gen-1'];
    const outcomes = await Promise.allSettled(
      ids.map((id) => generations.settle(unsettledGeneration(id), sharedCharge(7n))),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, false]);
    const found = (await usage.usageOf([PAYER.apiKeyHash], NOW)).get(PAYER.apiKeyHash);
    expect(found?.usage.total).toBe(21n);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('after the end of a month computes the fee by the month of the request', async () => {
    const { database, generations, usage } = openLedgerStores(await withDatabase());
    const [january, february] = [Date.UTC(2026, 0, 31, 23, 59), Date.UTC(2026, 1, 1)];
    const allowance = 25_000n * 10n ** 9n;
    const settle = (id: string, cost: bigint, createdAt: number) =>
      generations.settle(unsettledGeneration(id, { byokKeyId: 'b', createdAt }), byokCharge(cost));
    expect((await settle('a', allowance - 40n, january)).byokFeeNanoUsd).toBe(0n);
    expect((await settle('b', 100n, february)).byokFeeNanoUsd).toBe(0n);
    expect((await settle('c', 100n, january)).byokFeeNanoUsd).toBe(3n);
    expect((await settle('d', 100n, february)).byokFeeNanoUsd).toBe(0n);
    const found = (await usage.usageOf([PAYER.apiKeyHash], february)).get(PAYER.apiKeyHash);
    // The last of January was a Saturday.
    expect(found?.usage).toEqual({ total: 3n, daily: 0n, weekly: 3n, monthly: 0n });
    expect(found?.byokUsage).toMatchObject({ total: allowance + 260n, daily: 200n, monthly: 200n });
    expect(await ledgerViolations(database)).toEqual([]);
  });
});

describe('abandoned reservations', () => {
  it('end when they expire, not before', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { ledger } = stores;
    await ledger.reserve('gen-1', spendRequest(), EXPIRY);
    await ledger.reserve('gen-2', spendRequest(), EXPIRY + 1);
    expect(await ledger.sweep(EXPIRY - 1)).toBe(0);
    expect(await ledger.sweep(EXPIRY)).toBe(1);
    expect(Object.values(await reservedSums(stores))).toEqual(subjectsOf(PAYER).map(() => 10n));
    expect(await ledger.sweep(EXPIRY + 1)).toBe(1);
    expect(await reservedSums(stores)).toEqual({});
  });

  it('end with their process, and only with it', async () => {
    const database = await withDatabase();
    const { pid } = spawnSync(process.execPath, ['--version']);
    const [ended, other] = [createProcessLease(), createProcessLease()];
    const [machine] = other.id.split('.');
    const leaseIds = {
      gone: `${machine}.${pid}.gone`,
      mine: database.leaseId,
      ended: ended.id,
      other: other.id,
      alive: `${machine}.${process.ppid}.alive`,
    };
    const stores = openLedgerStores(database);
    for (const [name, leaseId] of Object.entries(leaseIds)) await stores.reserveStored(name, leaseId, EXPIRY);
    ended.end();
    expect(await stores.ledger.sweep(NOW)).toBe(2);
    const left = await database.query.selectFrom('reservation').select('id').orderBy('id').execute();
    expect(left.map(({ id }) => id)).toEqual(['alive', 'mine', 'other']);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('end once, however many processes sweep', async () => {
    const url = await temporaryDatabaseUrl();
    const [one, other] = [
      openLedgerStores(await openDuringTest(url)),
      openLedgerStores(await openDuringTest(url)),
    ];
    for (let index = 0; index < 20; index++) await one.reserveStored(`gen-${index}`, LASTING, EXPIRY);
    const [ended, endedThere] = await Promise.all([one.ledger.sweep(EXPIRY), other.ledger.sweep(EXPIRY)]);
    expect(ended + endedThere).toBe(20);
    expect(await reservedSums(one)).toEqual({});
  });
});

describe('lost totals are rebuilt before any request is admitted', () => {
  const limits = [keyLimit(10n)];

  it('from the ledger', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger, generations } = stores;
    await generations.settle(unsettledGeneration('gen-1'), sharedCharge(10n));
    await database.transact([], (tx) => tx.deleteFrom('spend_total').execute());
    await restoreLostTotals(database);
    expect(await ledgerViolations(database)).toEqual([]);
    expect(await ledger.reserve('gen-2', spendRequest({ limits }), EXPIRY)).toMatchObject({
      kind: 'blocked',
    });
  });

  it('from the open reservations, so that their end leaves nothing behind', async () => {
    const stores = openLedgerStores(await withDatabase());
    const { database, ledger } = stores;
    await ledger.reserve('gen-1', spendRequest({ limits }), EXPIRY);
    await database.transact([], (tx) => tx.deleteFrom('spend_total').execute());
    await restoreLostTotals(database);
    expect(await ledger.reserve('gen-2', spendRequest({ limits }), EXPIRY)).toMatchObject({ kind: 'held' });
    await ledger.sweep(EXPIRY);
    expect(await reservedSums(stores)).toEqual({});
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('and left unchanged when they are not lost', async () => {
    const { database, generations } = openLedgerStores(await withDatabase());
    await generations.settle(unsettledGeneration('gen-1'), sharedCharge(10n));
    const before = await dumpDatabase(database);
    await restoreLostTotals(database);
    expect(await dumpDatabase(database)).toBe(before);
  });
});
