import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyBalance } from '../../src/ledger/balance/balance.js';
import { byokFee, sameFee } from '../../src/ledger/fee.js';
import { BILLING_PLANS } from '../../src/ledger/payer.js';
import { settlementPreconditions } from '../../src/ledger/settlement.js';

const USD = 10n ** 9n;
const ALLOWANCE = { pay_as_you_go: 25_000n * USD, enterprise: 200_000n * USD };

const plans = fc.constantFrom(...BILLING_PLANS);

/** Amounts around the allowances, in steps whose fee is an integer. */
const wholes = fc.bigInt({ min: 0n, max: 12_000n }).map((value) => value * USD * 20n);
const anything = fc.bigInt({ min: 0n, max: 240_000n * USD });

describe('the BYOK fee: 5 percent of the list price above the free allowance of the month', () => {
  it.each(BILLING_PLANS)('%s: nothing up to the allowance, 5 percent of everything above it', (plan) => {
    const allowance = ALLOWANCE[plan];
    expect(byokFee(plan, 0n, allowance)).toBe(0n);
    expect(byokFee(plan, allowance - USD, USD)).toBe(0n);
    expect(byokFee(plan, allowance - USD, 3n * USD)).toBe((2n * USD) / 20n);
    expect(byokFee(plan, allowance, USD)).toBe(USD / 20n);
    expect(byokFee(plan, 10n * allowance, USD)).toBe(USD / 20n);
  });

  it('rounds half up once', () => {
    const used = ALLOWANCE.pay_as_you_go;
    const fees = [0n, 9n, 10n, 29n, 30n].map((cost) => byokFee('pay_as_you_go', used, cost));
    expect(fees).toEqual([0n, 0n, 1n, 1n, 2n]);
  });

  it('of several requests is the fee of their sum, wherever the allowance ends', () => {
    fc.assert(
      fc.property(plans, wholes, fc.array(wholes, { maxLength: 8 }), (plan, used, costs) => {
        let [before, fees] = [used, 0n];
        for (const cost of costs) {
          fees += byokFee(plan, before, cost);
          before += cost;
        }
        expect(fees).toBe(byokFee(plan, used, before - used));
      }),
    );
  });

  it('of two requests differs from the fee of their sum by at most one rounding', () => {
    fc.assert(
      fc.property(plans, anything, anything, anything, (plan, used, a, b) => {
        const fees = byokFee(plan, used, a) + byokFee(plan, used + a, b);
        const difference = fees - byokFee(plan, used, a + b);
        expect(difference * difference).toBeLessThanOrEqual(1n);
      }),
    );
  });
});

describe('a fee stays the same while the usage before it stays in a range, the widest there is', () => {
  const allowance = ALLOWANCE.pay_as_you_go;

  it('no fee: up to what the allowance leaves for the request', () => {
    const noFee = { min: null, max: allowance - 7n };
    expect(sameFee('pay_as_you_go', 0n, 7n)).toEqual(noFee);
    expect(sameFee('pay_as_you_go', allowance - 7n, 7n)).toEqual(noFee);
  });

  it('the fee on the whole request: from the allowance on', () => {
    const wholeFee = { min: allowance, max: null };
    expect(sameFee('pay_as_you_go', allowance, 7n)).toEqual(wholeFee);
    expect(sameFee('pay_as_you_go', 2n * allowance, 7n)).toEqual(wholeFee);
  });

  it('the fee on a part: this usage alone', () => {
    const used = allowance - 6n;
    expect(sameFee('pay_as_you_go', used, 7n)).toEqual({ min: used, max: used });
  });

  it('only a charge over a BYOK key that costs anything depends on it', () => {
    const preconditionsOf = (isByok: boolean, costNanoUsd: bigint) =>
      settlementPreconditions({ plan: 'pay_as_you_go', isByok, costNanoUsd }, emptyBalance('s'), 0);
    expect(preconditionsOf(true, 7n)).toHaveLength(1);
    expect(preconditionsOf(true, 0n)).toEqual([]);
    expect(preconditionsOf(false, 7n)).toEqual([]);
  });
});
