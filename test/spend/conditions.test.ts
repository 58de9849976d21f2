import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissionConditions, admit, type SpendRequest } from '../../src/spend/admission.js';
import { type Balance, emptyBalance, type Movement, moved } from '../../src/spend/balance.js';
import { type Condition, Conditions } from '../../src/spend/conditions.js';
import { figureOf } from '../../src/spend/figures.js';
import type { SpendLimit } from '../../src/spend/limits.js';
import { subjects } from '../../src/spend/payer.js';
import { BYOK_ALLOWANCE_NANO_USD } from '../../src/spend/plan.js';
import { settlementConditions, settlementOf } from '../../src/spend/settlement.js';
import { INTERVALS, windowStart } from '../../src/spend/windows.js';
import { movementsAt } from './arbitraries.js';

/** The second of a month, a Tuesday: every window has a past. */
const AT = Date.UTC(2026, 5, 2, 12);
const DAY_MS = 86_400_000;
const RUNS = { numRuns: 2_000 };

const PAYER = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', userId: 'u' };
const ACCOUNT = subjects.account('a');
const KEY = subjects.key('k');

const before = fc.array(fc.constantFrom(AT - 40 * DAY_MS, AT - DAY_MS, AT), { maxLength: 3 });

/** Close to the end of the free allowance, and to where fees begin to be reserved. */
const NEARLY = BYOK_ALLOWANCE_NANO_USD.pay_as_you_go - 20n;
const NEARLY_RESERVED = NEARLY - 1_000n * 10n ** 9n;

/** Balances of the account and the key; small amounts, or such as leave little of the allowance. */
const balances = fc
  .tuple(before.chain(movementsAt), before.chain(movementsAt), fc.constantFrom(0n, NEARLY_RESERVED, NEARLY))
  .map(([account, key, used]) => {
    return new Map([
      [ACCOUNT, moved(moved(emptyBalance(ACCOUNT), byokOf(used)), account)],
      [KEY, moved(emptyBalance(KEY), key)],
    ]);
  });

/** What the same group did before. */
const earlier = fc.option(movementsAt([AT]), { nil: undefined });

const small = fc.bigInt({ min: 0n, max: 40n });

const limits: fc.Arbitrary<SpendLimit> = fc.record({
  kind: fc.constant('key' as const),
  subject: fc.constant(KEY),
  interval: fc.constantFrom(null, ...INTERVALS),
  includeByok: fc.boolean(),
  limitNanoUsd: small,
  title: fc.constant(null),
});

const requests: fc.Arbitrary<SpendRequest> = fc.record({
  payer: fc.constant(PAYER),
  plan: fc.constant('pay_as_you_go' as const),
  limits: fc.array(limits, { maxLength: 2 }),
  worst: fc.record({
    sharedNanoUsd: fc.option(small),
    byokNanoUsd: fc.option(small),
  }),
  means: fc.record({ hasCredits: fc.boolean(), hasByokAllowance: fc.boolean() }),
  at: fc.constant(AT),
});

function byokOf(byokNanoUsd: bigint): Movement {
  const spend = { creditNanoUsd: 0n, byokNanoUsd };
  const windowOf = (interval: (typeof INTERVALS)[number]) => ({ start: windowStart(interval, AT), ...spend });
  const windows = { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
  return { ...emptyBalance(''), total: spend, windows };
}

function reader(kept: ReadonlyMap<string, Balance>, movement: Movement | undefined) {
  return (subject: string): Balance => {
    const balance = kept.get(subject) ?? emptyBalance(subject);
    return movement === undefined ? balance : moved(balance, movement);
  };
}

function hold(conditions: readonly Condition[], kept: ReadonlyMap<string, Balance>): boolean {
  return conditions.every(({ figure, lowest, highest }) => {
    const value = figureOf(figure, kept.get(figure.subject) ?? emptyBalance(figure.subject));
    return (lowest === null || value >= lowest) && (highest === null || value <= highest);
  });
}

/** The conditions on balances before the movement. */
function beforehand(conditions: readonly Condition[], movement: Movement | undefined): readonly Condition[] {
  const all = new Conditions();
  for (const condition of conditions) all.demand(condition, movement);
  return all.all();
}

describe('a decision on balances as they were remembered', () => {
  it('to admit is the decision on those of now, wherever its conditions hold there (R1)', () => {
    let [held, differed] = [0, 0];
    fc.assert(
      fc.property(balances, balances, earlier, requests, (remembered, actual, movement, request) => {
        const decided = admit(request, reader(remembered, movement));
        fc.pre(decided.kind === 'admitted');
        const conditions = admissionConditions(request, reader(remembered, movement));
        const now = admit(request, reader(actual, movement));
        if (hold(beforehand(conditions, movement), actual)) {
          held++;
          expect(now).toEqual(decided);
        } else differed += now.kind === 'admitted' ? 0 : 1;
      }),
      RUNS,
    );
    expect(Math.min(held, differed)).toBeGreaterThan(50);
  });

  it('rests on no more than it has to: where the same balances stand, its conditions hold', () => {
    fc.assert(
      fc.property(balances, earlier, requests, (remembered, movement, request) => {
        fc.pre(admit(request, reader(remembered, movement)).kind === 'admitted');
        const conditions = admissionConditions(request, reader(remembered, movement));
        expect(hold(beforehand(conditions, movement), remembered)).toBe(true);
      }),
      RUNS,
    );
  });

  it('what to charge is the decision on those of now, wherever its conditions hold there (spec section 8)', () => {
    const charges = fc.record({
      plan: fc.constant('pay_as_you_go' as const),
      isByok: fc.boolean(),
      costNanoUsd: small,
    });
    const usedBy = (kept: ReadonlyMap<string, Balance>, movement: Movement | undefined) =>
      reader(kept, movement)(ACCOUNT).windows.monthly;
    fc.assert(
      fc.property(balances, balances, earlier, charges, (remembered, actual, movement, charge) => {
        const account = reader(remembered, movement)(ACCOUNT);
        const conditions = beforehand(settlementConditions(charge, account, AT), movement);
        const start = windowStart('monthly', AT);
        const [then, now] = [remembered, actual].map((kept) => {
          const window = usedBy(kept, movement);
          return settlementOf(charge, window.start === start ? window.byokNanoUsd : 0n);
        });
        if (hold(conditions, actual)) expect(now).toEqual(then);
      }),
      RUNS,
    );
  });
});
