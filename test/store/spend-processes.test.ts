import { describe, expect, it } from 'vitest';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import {
  byokCharge,
  keyLimit,
  MINUTE_MS,
  moneyFaults,
  NOW,
  openBooks,
  PAYER,
  reservedSums,
  spendRequest,
  unsettled,
} from './spending.js';

const COST = 10n;

describe('several processes on one database (R1, R3, R5)', () => {
  it.each([
    ['a key that has been used', true, 95n],
    ['the first use of a key', false, 100n],
    ['a budget for a single request', false, 1n],
  ])('let in no more than the limit allows: %s', async (_, isUsed, limitNanoUsd) => {
    const url = await temporaryDatabaseUrl();
    const processes = await Promise.all([0, 1, 2].map(async () => openBooks(await openDuringTest(url))));
    const [first] = processes;
    if (isUsed) await first?.generations.settle(unsettled('before', { byokKeyId: 'b' }), byokCharge(5n));
    const limits = [keyLimit(limitNanoUsd)];
    const ids = Array.from({ length: 200 }, (_, index) => `gen-${index}`);
    const admitted = await Promise.all(
      ids.map(async (id, index) => {
        const { book, generations } = processes[index % 3] ?? openBooks(await openDuringTest(url));
        const { kind } = await book.reserve(id, spendRequest({ limits }), NOW + MINUTE_MS);
        if (kind !== 'admitted') return false;
        await generations.settle(unsettled(id, { byokKeyId: 'b' }), byokCharge(COST));
        return true;
      }),
    );
    const count = BigInt(admitted.filter((isAdmitted) => isAdmitted).length);
    const spent = count * COST + (isUsed ? 5n : 0n);
    expect(spent).toBeGreaterThanOrEqual(limitNanoUsd);
    expect(spent).toBeLessThan(limitNanoUsd + COST);
    for (const { book, usage, database } of processes) {
      const found = (await usage.usageOf([PAYER.apiKeyHash], NOW)).get(PAYER.apiKeyHash);
      expect(found?.byokUsage.total).toBe(spent);
      expect(await book.reserve('late', spendRequest({ limits }), NOW)).toMatchObject({ kind: 'blocked' });
      expect(await moneyFaults(database)).toEqual([]);
      expect(await reservedSums(database)).toEqual({});
    }
  });
});
