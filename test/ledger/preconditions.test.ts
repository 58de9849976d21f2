import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissionPreconditions, admit, type SpendRequest } from '../../src/ledger/admission.js';
import { applyDelta, type Balance, type BalanceDelta, emptyBalance } from '../../src/ledger/balance.js';
import { balanceValue } from '../../src/ledger/balance-selector.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { subjects } from '../../src/ledger/payer.js';
import { BYOK_ALLOWANCE_NANO_USD } from '../../src/ledger/plan.js';
import { type Precondition, Preconditions } from '../../src/ledger/preconditions.js';
import { settlementOf, settlementPreconditions } from '../../src/ledger/settlement.js';
import { INTERVALS, windowStart } from '../../src/ledger/windows.js';
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
      [ACCOUNT, applyDelta(applyDelta(emptyBalance(ACCOUNT), byokOf(used)), account)],
      [KEY, applyDelta(emptyBalance(KEY), key)],
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
  maxCost: fc.record({
    sharedNanoUsd: fc.option(small),
    byokNanoUsd: fc.option(small),
  }),
  funds: fc.record({ hasCredits: fc.boolean(), hasByokAllowance: fc.boolean() }),
  at: fc.constant(AT),
});

function byokOf(byokNanoUsd: bigint): BalanceDelta {
  const spend = { creditNanoUsd: 0n, byokNanoUsd };
  const windowOf = (interval: (typeof INTERVALS)[number]) => ({ start: windowStart(interval, AT), ...spend });
  const windows = { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
  return { ...emptyBalance(''), total: spend, windows };
}

function reader(kept: ReadonlyMap<string, Balance>, delta: BalanceDelta | undefined) {
  return (subject: string): Balance => {
    const balance = kept.get(subject) ?? emptyBalance(subject);
    return delta === undefined ? balance : applyDelta(balance, delta);
  };
}

function hold(preconditions: readonly Precondition[], kept: ReadonlyMap<string, Balance>): boolean {
  return preconditions.every(({ selector, min, max }) => {
    const value = balanceValue(selector, kept.get(selector.subject) ?? emptyBalance(selector.subject));
    return (min === null || value >= min) && (max === null || value <= max);
  });
}

/** The conditions on balances before the movement. */
function beforehand(
  preconditions: readonly Precondition[],
  delta: BalanceDelta | undefined,
): readonly Precondition[] {
  const all = new Preconditions();
  for (const precondition of preconditions) all.add(precondition, delta);
  return all.all();
}

describe('a decision on balances as they were remembered', () => {
  it('to admit is the decision on those of now, wherever its conditions hold there (R1)', () => {
    let [held, differed] = [0, 0];
    fc.assert(
      fc.property(balances, balances, earlier, requests, (remembered, actual, delta, request) => {
        const decided = admit(request, reader(remembered, delta));
        fc.pre(decided.kind === 'admitted');
        const preconditions = admissionPreconditions(request, reader(remembered, delta));
        const now = admit(request, reader(actual, delta));
        if (hold(beforehand(preconditions, delta), actual)) {
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
      fc.property(balances, earlier, requests, (remembered, delta, request) => {
        fc.pre(admit(request, reader(remembered, delta)).kind === 'admitted');
        const preconditions = admissionPreconditions(request, reader(remembered, delta));
        expect(hold(beforehand(preconditions, delta), remembered)).toBe(true);
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
    const usedBy = (kept: ReadonlyMap<string, Balance>, delta: BalanceDelta | undefined) =>
      reader(kept, delta)(ACCOUNT).windows.monthly;
    fc.assert(
      fc.property(balances, balances, earlier, charges, (remembered, actual, delta, charge) => {
        const account = reader(remembered, delta)(ACCOUNT);
        const preconditions = beforehand(settlementPreconditions(charge, account, AT), delta);
        const start = windowStart('monthly', AT);
        const [then, now] = [remembered, actual].map((kept) => {
          const window = usedBy(kept, delta);
          return settlementOf(charge, window.start === start ? window.byokNanoUsd : 0n);
        });
        if (hold(preconditions, actual)) expect(now).toEqual(then);
      }),
      RUNS,
    );
  });
});
