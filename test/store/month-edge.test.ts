import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYOK_ALLOWANCE_NANO_USD } from '../../src/ledger/payer.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import {
  byokCharge,
  ledgerViolations,
  openLedgerStores,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const JANUARY = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const FEBRUARY = Date.UTC(2026, 1, 1);
const MARCH = Date.UTC(2026, 2, 1);
const ALLOWANCE = BYOK_ALLOWANCE_NANO_USD.pay_as_you_go;

/** 5 % of a multiple of it is a whole number, so that the fee of a month does not depend on the order of requests. */
const STEP = 20n;

interface Request {
  readonly createdAt: number;
  readonly costNanoUsd: bigint;
}

/** What all requests of a month owe, computed from nothing but their list prices. */
function feeOfMonth(requests: readonly Request[], month: number): bigint {
  const used = requests
    .filter(({ createdAt }) => new Date(createdAt).getUTCMonth() === month)
    .reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  return used > ALLOWANCE ? (used - ALLOWANCE) / 20n : 0n;
}

const requests = fc.array(
  fc.record({
    createdAt: fc.constantFrom(JANUARY, JANUARY, FEBRUARY, MARCH),
    costNanoUsd: fc.bigInt({ min: 1n, max: 50n }).map((count) => count * STEP),
  }),
  { minLength: 2, maxLength: 24 },
);

describe.each(DATABASE_KINDS)('at the edge of a month on %s', (kind) => {
  it('requests pay the fee of the month that they began in, in whatever order they are settled', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (list) => {
        const url = await temporaryDatabaseUrl(kind);
        const database = await openDuringTest(url);
        const processes = [openLedgerStores(database)];
        if (kind === 'postgres') processes.push(openLedgerStores(await openDuringTest(url)));
        const all = [JANUARY, FEBRUARY, MARCH].map((createdAt) => ({
          createdAt,
          costNanoUsd: ALLOWANCE - 200n,
        }));
        const settle = async ({ createdAt, costNanoUsd }: Request, index: number) => {
          const stores = processes[index % processes.length] ?? openLedgerStores(database);
          const id = `gen-${all.push({ createdAt, costNanoUsd })}`;
          await stores.ledger.reserve(id, spendRequest({ at: createdAt }), createdAt + 60_000);
          const generation = unsettledGeneration(id, { byokKeyId: 'b', createdAt });
          return stores.generations.settle(generation, byokCharge(costNanoUsd));
        };
        const first = all.splice(0);
        for (const one of first) await settle(one, 0);
        await Promise.all(list.map(settle));
        const entries = await database.query.selectFrom('ledger_entry').selectAll().execute();
        for (const month of [0, 1, 2]) {
          const fees = entries
            .filter((row) => row.kind === 'byok_fee' && new Date(row.created_at).getUTCMonth() === month)
            .reduce((sum, row) => sum + row.amount_nano_usd, 0n);
          expect(fees).toBe(feeOfMonth(all, month));
        }
        expect(await ledgerViolations(database)).toEqual([]);
        await database.close();
      }),
      { numRuns: kind === 'postgres' ? 4 : 15 },
    );
  });

  it('what a month has used is known when its entries have been dropped', async () => {
    const database = await openDuringTest(await temporaryDatabaseUrl(kind));
    const { generations } = openLedgerStores(database);
    const settle = (id: string, cost: bigint, createdAt: number) =>
      generations.settle(unsettledGeneration(id, { byokKeyId: 'b', createdAt }), byokCharge(cost));
    await settle('a', ALLOWANCE, JANUARY);
    await settle('b', 100n, FEBRUARY);
    await database.transact([], (tx) => tx.deleteFrom('ledger_entry').execute());
    expect((await settle('c', 100n, JANUARY)).byokFeeNanoUsd).toBe(5n);
    expect((await settle('d', 100n, FEBRUARY)).byokFeeNanoUsd).toBe(0n);
  });
});
