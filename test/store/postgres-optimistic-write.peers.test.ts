import { describe, expect, test } from 'vitest';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { proxyBefore } from '../support/fakes/tcp-proxy.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import {
  byokCharge,
  keyLimit,
  ledgerViolations,
  MINUTE_MS,
  NOW,
  openLedgerStores,
  reservedSums,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

describe.runIf(hasPostgres())('the round trips of a request', () => {
  test('are one for the admission and one for the settlement, shared by any number of requests', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const proxy = await proxyBefore(url, { answerDelayMs: 50 });
    const { ledger, generations, database } = openLedgerStores(await openDuringTest(proxy.url));
    const costOf = async (work: () => Promise<unknown>) => {
      const before = proxy.roundTrips;
      await work();
      return proxy.roundTrips - before;
    };
    const limits = [keyLimit(10n ** 9n)];
    const reserve = (id: string) => ledger.reserve(id, spendRequest({ limits }), NOW + MINUTE_MS);
    const settle = (id: string) =>
      generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(7n));
    const ids = Array.from({ length: 50 }, (_, index) => `gen-${index}`);
    expect(await costOf(() => reserve('warm')), 'the first of a connection').toBeLessThanOrEqual(3);
    await settle('warm');
    expect(await costOf(() => reserve('alone'))).toBe(1);
    expect(await costOf(() => settle('alone'))).toBe(1);
    expect(await costOf(() => Promise.all(ids.map(reserve)))).toBe(1);
    expect(await costOf(() => Promise.all(ids.map(settle)))).toBe(1);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  test('are no more when other processes charge the same account, as long as no limit is near', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const proxy = await proxyBefore(url, { answerDelayMs: 50 });
    const [counted, other] = [
      openLedgerStores(await openDuringTest(proxy.url)),
      openLedgerStores(await openDuringTest(url)),
    ];
    const limits = [keyLimit(10n ** 9n)];
    const chat = async ({ ledger, generations }: typeof counted, id: string) => {
      await ledger.reserve(id, spendRequest({ limits }), NOW + MINUTE_MS);
      await generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(7n));
    };
    await chat(counted, 'warm');
    const before = proxy.roundTrips;
    for (let index = 0; index < 5; index++) {
      await chat(other, `other-${index}`);
      await chat(counted, `counted-${index}`);
    }
    expect(proxy.roundTrips - before).toBe(10);
    expect(await ledgerViolations(other.database)).toEqual([]);
  });
});

describe.runIf(hasPostgres())('cached balances and reservations', () => {
  const limits = [keyLimit(100n)];
  const ask = { limits, maxCost: { sharedNanoUsd: null, byokNanoUsd: 60n } };
  const reserve = ({ ledger }: ReturnType<typeof openLedgerStores>, id: string) =>
    ledger.reserve(id, spendRequest(ask), NOW + MINUTE_MS).then(({ kind }) => kind);

  test('admit nothing that other processes have used up, and refuse nothing that they have released', async () => {
    const [one, other] = await twoProcesses();
    expect(await reserve(one, 'a')).toBe('admitted');
    expect(await reserve(other, 'b')).toBe('admitted');
    expect(await reserve(one, 'c')).toBe('held');
    await other.generations.settle(unsettledGeneration('b', { provider: null }), null);
    expect(await reserve(one, 'd')).toBe('admitted');
    expect(await reserve(other, 'e')).toBe('held');
    expect(await ledgerViolations(one.database)).toEqual([]);
  });

  test('do not release a reservation again that another process has ended', async () => {
    const [one, other] = await twoProcesses();
    await reserve(one, 'a');
    // As if the first process had lost its lease.
    const [machine, pid] = one.database.leaseId.split('.');
    await other.database.transact([], async (tx) => {
      await tx
        .updateTable('reservation')
        .set({ holder: `${machine}.${pid}.killed` })
        .execute();
    });
    expect(await other.ledger.sweep(NOW)).toBe(1);
    await one.generations.settle(unsettledGeneration('a', { byokKeyId: 'b' }), byokCharge(7n));
    expect(await reservedSums(one)).toEqual({});
    expect(await ledgerViolations(one.database)).toEqual([]);
  });

  test('do not avoid the fee when other processes have used up the allowance', async () => {
    const [one, other] = await twoProcesses();
    const settle = async ({ generations }: typeof one, id: string, cost: bigint) =>
      (await generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(cost)))
        .byokFeeNanoUsd;
    const allowance = 25_000n * 10n ** 9n;
    for (const id of ['a', 'b', 'c']) await reserve(one, id);
    expect(await settle(one, 'a', 40n)).toBe(0n);
    expect(await settle(other, 'x', allowance - 100n)).toBe(0n);
    expect(await settle(one, 'b', 100n)).toBe(2n);
    expect(await settle(one, 'c', 100n)).toBe(5n);
    expect(await ledgerViolations(one.database)).toEqual([]);
  });

  test('lead to one write and the decided result when the connection is lost before the answer', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const proxy = await proxyBefore(url);
    const [through, direct] = [openLedgerStores(await openDuringTest(proxy.url)), await openDuringTest(url)];
    await reserve(through, 'a');
    proxy.swallowAnswerTo('commit');
    await through.generations.settle(unsettledGeneration('a', { byokKeyId: 'b' }), byokCharge(7n));
    proxy.swallowAnswerTo('commit');
    expect(await reserve(through, 'b')).toBe('admitted');
    proxy.cut();
    proxy.mend();
    expect(await reserve(through, 'c')).toBe('admitted');
    const rows = await direct.query.selectFrom('reservation').select('id').orderBy('id').execute();
    expect(rows.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(await ledgerViolations(direct)).toEqual([]);
  });
});

async function twoProcesses() {
  const url = await temporaryDatabaseUrl('postgres');
  return [openLedgerStores(await openDuringTest(url)), openLedgerStores(await openDuringTest(url))] as const;
}
