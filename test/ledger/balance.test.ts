import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  type Balance,
  byokOfMonth,
  charge,
  differences,
  emptyBalance,
  pastCharge,
  type Reserve,
  release,
  reservation,
  type Spend,
  spentWithin,
  sumDeltas,
  topUpDelta,
} from '../../src/ledger/balance/balance.js';
import { limitSelector } from '../../src/ledger/balance/balance-values.js';
import { unknownBefore } from '../../src/ledger/balance/recent-windows.js';
import { INTERVALS, windowEnd, windowStart } from '../../src/ledger/balance/windows.js';
import { amounts, charges, instants, spends } from './arbitraries.js';
import { charged, released, reserved, toppedUp } from './balance-changes.js';

interface Charge {
  readonly spend: Spend;
  readonly at: number;
}

const chargeAll = (list: readonly Charge[]) =>
  list.reduce((balance, { spend, at }) => charged(balance, spend, at), emptyBalance('s'));

const sumOf = (list: readonly Charge[]): Spend => ({
  creditNanoUsd: list.reduce((sum, { spend }) => sum + spend.creditNanoUsd, 0n),
  byokNanoUsd: list.reduce((sum, { spend }) => sum + spend.byokNanoUsd, 0n),
});

const amountsOf = ({ creditNanoUsd, byokNanoUsd }: Spend): Spend => ({ creditNanoUsd, byokNanoUsd });

describe('running totals equal the sums of the charges', () => {
  it('in any order of charges', () => {
    const shuffled = charges.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(chargeAll(other)).toEqual(chargeAll(list));
      }),
    );
  });

  it('in every window, from its first charge to its end', () => {
    fc.assert(
      fc.property(charges, instants, (list, later) => {
        const now = Math.max(later, ...list.map(({ at }) => at));
        const balance = chargeAll(list);
        for (const interval of INTERVALS) {
          const inside = list.filter(({ at }) => at >= windowStart(interval, now));
          expect(amountsOf(spentWithin(balance, interval, now))).toEqual(sumOf(inside));
          expect(amountsOf(spentWithin(balance, interval, windowEnd(interval, now)))).toEqual(sumOf([]));
        }
        expect(spentWithin(balance, null, now)).toEqual(sumOf(list));
      }),
    );
  });

  it('for a clock that lags behind another process: the newer window counts', () => {
    fc.assert(
      fc.property(charges, instants, (list, now) => {
        for (const interval of INTERVALS) {
          const [start, end] = [windowStart(interval, now), windowEnd(interval, now)];
          if (list.some(({ at }) => at >= end)) continue;
          const inside = list.filter(({ at }) => at >= start);
          expect(amountsOf(spentWithin(chargeAll(list), interval, now))).toEqual(sumOf(inside));
        }
      }),
    );
    const tomorrow = chargeAll([{ spend: { creditNanoUsd: 7n, byokNanoUsd: 0n }, at: Date.UTC(2026, 0, 2) }]);
    expect(spentWithin(tomorrow, 'daily', Date.UTC(2026, 0, 2) - 1).creditNanoUsd).toBe(7n);
  });
});

const reserves: fc.Arbitrary<Reserve> = fc.record({
  creditNanoUsd: amounts,
  byokNanoUsd: amounts,
  sumNanoUsd: amounts,
});

describe('reservations', () => {
  it('leave nothing behind once all are released, in any order, with or without charges in between', () => {
    const operations = fc.array(fc.tuple(reserves, spends, instants, fc.nat()), { maxLength: 20 });
    fc.assert(
      fc.property(operations, (list) => {
        let balance: Balance = emptyBalance('s');
        const open: Reserve[] = [];
        for (const [reserve, spend, at, pick] of list) {
          balance = reserved(balance, reserve);
          open.push(reserve);
          if (pick % 2 === 0) continue;
          const [ended] = open.splice(pick % open.length, 1);
          if (ended !== undefined) balance = charged(released(balance, ended), spend, at);
        }
        for (const reserve of open) balance = released(balance, reserve);
        expect(balance.reserved).toEqual(emptyBalance('s').reserved);
      }),
    );
  });

  it('and top-ups change nothing else', () => {
    fc.assert(
      fc.property(charges, reserves, amounts, (list, reserve, amount) => {
        const before = chargeAll(list);
        expect({ ...reserved(before, reserve), reserved: before.reserved }).toEqual(before);
        expect(toppedUp(before, amount)).toEqual({ ...before, topUpNanoUsd: before.topUpNanoUsd + amount });
      }),
    );
  });
});

it('several changes written as their sum have the effect of all of them', () => {
  const change = fc.oneof(
    amounts.map(topUpDelta),
    reserves.map(reservation),
    reserves.map(release),
    fc.tuple(spends, instants).map(([spend, at]) => charge(spend, at)),
  );
  fc.assert(
    fc.property(change, change, change, (first, second, third) => {
      const oneByOne = [first, second, third].reduce(applyDelta, emptyBalance('s'));
      expect(applyDelta(emptyBalance('s'), sumDeltas(sumDeltas(first, second), third))).toEqual(oneByOne);
    }),
  );
});

it('a limit that never resets selects the value since ever, whose window starts at 0', () => {
  const limit = {
    kind: 'key',
    subject: 's',
    includeByok: false,
    limitNanoUsd: 1n,
    id: 'id',
    name: 'Name',
    title: null,
  } as const;
  const at = Date.UTC(2026, 0, 7, 12);
  expect(limitSelector({ ...limit, interval: null }, at).start).toBe(0);
  expect(limitSelector({ ...limit, interval: 'daily' }, at).start).toBe(Date.UTC(2026, 0, 7));
});

describe('differences of two balances', () => {
  it('are empty for equal balances, and named otherwise', () => {
    const spend = { creditNanoUsd: 5n, byokNanoUsd: 3n };
    const balance = charged(emptyBalance('s'), spend, Date.UTC(2026, 0, 7));
    expect(differences(balance, { ...balance })).toEqual([]);
    const reserve = { ...spend, sumNanoUsd: 8n };
    expect(differences(reserved(toppedUp(balance, 2n), reserve), balance)).toEqual([
      'top-ups is 2 instead of 0',
      'reserved credit is 5 instead of 0',
      'reserved BYOK is 3 instead of 0',
      'reserved sum is 8 instead of 0',
    ]);
    const twice = charged(balance, spend, Date.UTC(2026, 0, 8));
    expect(differences(twice, balance)).toEqual([
      'total credit is 10 instead of 5',
      'total BYOK is 6 instead of 3',
      `daily start is ${Date.UTC(2026, 0, 8)} instead of ${Date.UTC(2026, 0, 7)}`,
      'weekly credit is 10 instead of 5',
      'weekly BYOK is 6 instead of 3',
      'monthly credit is 10 instead of 5',
      'monthly BYOK is 6 instead of 3',
    ]);
  });

  it('leave out windows of which the ledger has dropped a part, and nothing else', () => {
    const [then, since] = [Date.UTC(2026, 0, 7), Date.UTC(2026, 0, 20)];
    const spend = { creditNanoUsd: 5n, byokNanoUsd: 0n };
    const stored = charged(emptyBalance('s'), spend, then);
    const rebuilt = applyDelta(emptyBalance('s'), pastCharge(spend));
    expect(differences(stored, rebuilt, since)).toEqual([]);
    expect(differences(stored, emptyBalance('s'), since)).toEqual(['total credit is 5 instead of 0']);
    const later = charged(stored, spend, since);
    expect(differences(later, applyDelta(rebuilt, pastCharge(spend)), since)).toEqual([
      `daily start is ${since} instead of 0`,
      'daily credit is 5 instead of 0',
    ]);
  });
});

describe('the window before the newest one', () => {
  const sorted = (list: readonly Charge[], interval: (typeof INTERVALS)[number]) =>
    [...new Set(list.map(({ at }) => windowStart(interval, at)))].sort((one, other) => other - one);

  it('is kept, so that whatever belongs to one of the two counts in it, in any order', () => {
    fc.assert(
      fc.property(charges, (list) => {
        const balance = chargeAll(list);
        for (const interval of INTERVALS) {
          const [newest, before] = sorted(list, interval);
          for (const [window, start] of [
            [balance.windows[interval], newest],
            [balance.previous[interval], before],
          ] as const) {
            const inside = list.filter(({ at }) => windowStart(interval, at) === start);
            expect(amountsOf(window)).toEqual(sumOf(inside));
            if (start !== undefined) expect(window.start).toBe(start);
          }
        }
      }),
    );
  });

  it('counts together with the newest one for a clock that is still in it', () => {
    const [march, april] = [Date.UTC(2026, 2, 31, 23), Date.UTC(2026, 3, 1)];
    const spend = { creditNanoUsd: 7n, byokNanoUsd: 3n };
    const balance = chargeAll([
      { spend, at: april },
      { spend, at: march },
    ]);
    expect(amountsOf(spentWithin(balance, 'monthly', march))).toEqual({
      creditNanoUsd: 14n,
      byokNanoUsd: 6n,
    });
    expect(amountsOf(spentWithin(balance, 'monthly', april))).toEqual(spend);
    expect(byokOfMonth(balance, Date.UTC(2026, 2, 1))).toBe(3n);
    expect(byokOfMonth(balance, Date.UTC(2026, 1, 1))).toBeUndefined();
    expect(byokOfMonth(balance, Date.UTC(2026, 4, 1))).toBe(0n);
  });

  it('is compared, but where the stored balance does not know it', () => {
    const [first, second] = [Date.UTC(2026, 2, 3), Date.UTC(2026, 2, 4)];
    const spend = { creditNanoUsd: 7n, byokNanoUsd: 3n };
    const whole = chargeAll([
      { spend, at: first },
      { spend, at: second },
    ]);
    const { daily, ...others } = whole.previous;
    const withDaily = (start: number, creditNanoUsd: bigint): Balance => ({
      ...whole,
      previous: { ...others, daily: { ...daily, start, creditNanoUsd } },
    });
    expect(differences(withDaily(first, 8n), whole)).toEqual(['previous daily credit is 8 instead of 7']);
    expect(differences(withDaily(unknownBefore(second), 0n), whole)).toEqual([]);
  });

  it('that is not known is not taken for one by an older charge', () => {
    const at = Date.UTC(2026, 2, 4);
    const spend = { creditNanoUsd: 7n, byokNanoUsd: 3n };
    const one = chargeAll([{ spend, at }]);
    const unknown = (start: number) => ({ start: unknownBefore(start), creditNanoUsd: 0n, byokNanoUsd: 0n });
    const { daily, weekly, monthly } = one.windows;
    const migrated: Balance = {
      ...one,
      previous: {
        daily: unknown(daily.start),
        weekly: unknown(weekly.start),
        monthly: unknown(monthly.start),
      },
    };
    const late = charged(migrated, spend, Date.UTC(2026, 1, 27));
    expect(byokOfMonth(late, Date.UTC(2026, 1, 1))).toBeUndefined();
    const next = charged(late, spend, Date.UTC(2026, 3, 1));
    expect(byokOfMonth(next, Date.UTC(2026, 2, 1))).toBe(3n);
  });
});
