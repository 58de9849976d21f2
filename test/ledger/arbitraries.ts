import fc from 'fast-check';
import {
  OVERRIDE_PRICE_KEYS,
  PRICE_KEYS,
  type Pricing,
  type PricingOverride,
  WEEKDAYS,
} from '../../src/catalog/types.js';
import {
  type BalanceDelta,
  charge,
  type Reserve,
  reservation,
  type Spend,
  sumDeltas,
  topUpDelta,
} from '../../src/ledger/balance/balance.js';

/** From 2020 to 2040, with many around midnight. */
export const instants = fc.oneof(
  fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) }),
  fc
    .tuple(fc.integer({ min: 18_262, max: 25_567 }), fc.integer({ min: -1, max: 1 }))
    .map(([day, offset]) => day * 86_400_000 + offset),
);

/** In nano-USD, often 0. */
export const amounts = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 15n }));

export const spends: fc.Arbitrary<Spend> = fc.record({ creditNanoUsd: amounts, byokNanoUsd: amounts });

export const charges = fc.array(fc.record({ spend: spends, at: instants }), { maxLength: 12 });

const small = fc.bigInt({ min: 0n, max: 20n });

const smallSpends: fc.Arbitrary<Spend> = fc.record({ creditNanoUsd: small, byokNanoUsd: small });

const smallReserves: fc.Arbitrary<Reserve> = fc.record({
  creditNanoUsd: small,
  byokNanoUsd: small,
  sumNanoUsd: small,
});

/** The sum of charges at these instants, a reservation and a top-up, of small amounts. */
export function deltasAt(times: readonly number[]): fc.Arbitrary<BalanceDelta> {
  const spendings = fc.tuple(...times.map((at) => smallSpends.map((spend) => ({ at, spend }))));
  return fc.tuple(spendings, smallReserves, small).map(([list, reserve, topUp]) => {
    const others = sumDeltas(reservation(reserve), topUpDelta(topUp));
    return list.reduce((delta, { at, spend }) => sumDeltas(delta, charge(spend, at)), others);
  });
}

const prices = fc
  .tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 4, max: 14 }))
  .map(([value, digits]) => {
    const padded = String(value).padStart(digits + 1, '0');
    return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
  });

const clockNumbers = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => hour * 100 + minute);

const overrides: fc.Arbitrary<PricingOverride> = fc.record({
  prices: fc.record(Object.fromEntries(OVERRIDE_PRICE_KEYS.map((key) => [key, prices])), {
    requiredKeys: [],
  }),
  minPromptTokens: fc.option(fc.integer({ min: 0, max: 2_000 })),
  utcStart: fc.option(clockNumbers),
  utcEnd: fc.option(clockNumbers),
  utcDays: fc.option(fc.subarray([...WEEKDAYS], { minLength: 1 })),
});

/** Any prices, with overrides and discounts. */
export const pricings: fc.Arbitrary<Pricing> = fc
  .record({
    required: fc.record({ prompt: prices, completion: prices }),
    optional: fc.record(Object.fromEntries(PRICE_KEYS.map((key) => [key, prices])), { requiredKeys: [] }),
    discount: fc.option(fc.constantFrom(0, 0.1, 0.5, 0.999, 1)),
    overrides: fc.array(overrides, { maxLength: 3 }),
  })
  .map(({ required, optional, ...rest }) => ({ prices: { ...optional, ...required }, ...rest }));
