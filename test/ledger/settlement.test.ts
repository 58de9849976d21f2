import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BILLING_PLANS } from '../../src/ledger/payer.js';
import { type Charge, NO_SETTLEMENT, settlementOf } from '../../src/ledger/settlement.js';

const money = fc.bigInt({ min: 0n, max: 300_000n * 10n ** 9n });
const charges: fc.Arbitrary<Charge> = fc.record({
  plan: fc.constantFrom(...BILLING_PLANS),
  isByok: fc.boolean(),
  costNanoUsd: fc.oneof(fc.constant(0n), money),
});

describe('what a request is charged', () => {
  it('is the sum of its ledger entries: at most one of each kind, none of 0', () => {
    fc.assert(
      fc.property(charges, money, (charge, used) => {
        const { spend, byokFeeNanoUsd, entries } = settlementOf(charge, used);
        const sumOf = (...kinds: string[]) =>
          entries.reduce(
            (sum, { kind, amountNanoUsd }) => sum + (kinds.includes(kind) ? amountNanoUsd : 0n),
            0n,
          );
        expect(sumOf('credit_spend', 'byok_fee')).toBe(spend.creditNanoUsd);
        expect(sumOf('byok_cost')).toBe(spend.byokNanoUsd);
        expect(sumOf('byok_fee')).toBe(byokFeeNanoUsd);
        expect(new Set(entries.map(({ kind }) => kind)).size).toBe(entries.length);
        expect(entries.every(({ amountNanoUsd }) => amountNanoUsd > 0n)).toBe(true);
      }),
    );
  });

  it('is the cost on shared capacity, and the fee beside the list price over a BYOK key', () => {
    fc.assert(
      fc.property(charges, money, (charge, used) => {
        const { spend, byokFeeNanoUsd } = settlementOf(charge, used);
        expect(charge.isByok ? spend.byokNanoUsd : spend.creditNanoUsd).toBe(charge.costNanoUsd);
        expect(charge.isByok ? spend.creditNanoUsd - byokFeeNanoUsd : spend.byokNanoUsd).toBe(0n);
      }),
    );
  });

  it('is nothing when the cost is 0', () => {
    for (const isByok of [true, false]) {
      expect(settlementOf({ plan: 'enterprise', isByok, costNanoUsd: 0n }, 10n ** 18n)).toEqual(
        NO_SETTLEMENT,
      );
    }
  });
});
