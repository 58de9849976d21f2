import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admissionPreconditions,
  admit,
  type Precondition,
  Preconditions,
  type SpendRequest,
} from '../../src/ledger/admission.js';
import {
  applyDelta,
  type Balance,
  type BalanceDelta,
  byokOfMonth,
  emptyBalance,
} from '../../src/ledger/balance/balance.js';
import { type BalanceSelector, balanceValue, type Range } from '../../src/ledger/balance/balance-values.js';
import { INTERVALS, windowStart } from '../../src/ledger/balance/windows.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { BYOK_ALLOWANCE_NANO_USD, subjects } from '../../src/ledger/payer.js';
import { planAndReserve } from '../../src/ledger/plan-and-reserve.js';
import { AT_ONCE } from '../../src/ledger/reservation-queues.js';
import { settlementOf, settlementPreconditions } from '../../src/ledger/settlement.js';
import { deltasAt } from './arbitraries.js';

/** The second day of a month, a Tuesday: every window has begun before. */
const AT = Date.UTC(2026, 5, 2, 12);
const DAY_MS = 86_400_000;
const RUNS = { numRuns: 2_000 };

const PAYER = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', userId: 'u', runId: null, endUser: null };
const ACCOUNT = subjects.account('a');
const KEY = subjects.key('k');

const before = fc.array(fc.constantFrom(AT - 40 * DAY_MS, AT - DAY_MS, AT, AT + 40 * DAY_MS), {
  maxLength: 3,
});

/** Close to the end of the free allowance, and to the usage from which fees are reserved. */
const NEARLY = BYOK_ALLOWANCE_NANO_USD.pay_as_you_go - 20n;
const NEARLY_RESERVED = NEARLY - 1_000n * 10n ** 9n;

/** Balances of the account and the key: small amounts, or little left of the allowance. */
const balances = fc
  .tuple(before.chain(deltasAt), before.chain(deltasAt), fc.constantFrom(0n, NEARLY_RESERVED, NEARLY))
  .map(([account, key, used]) => {
    return new Map([
      [ACCOUNT, applyDelta(applyDelta(emptyBalance(ACCOUNT), byokOf(used)), account)],
      [KEY, applyDelta(emptyBalance(KEY), key)],
    ]);
  });

/** The changes of earlier operations of the same group. */
const earlier = fc.option(deltasAt([AT]), { nil: undefined });

const small = fc.bigInt({ min: 0n, max: 40n });

const limits: fc.Arbitrary<SpendLimit> = fc.record({
  kind: fc.constant('key' as const),
  subject: fc.constant(KEY),
  interval: fc.constantFrom(null, ...INTERVALS),
  includeByok: fc.boolean(),
  limitNanoUsd: small,
  id: fc.constant('id'),
  name: fc.constant('Name'),
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

function reader(stored: ReadonlyMap<string, Balance>, delta: BalanceDelta | undefined) {
  return (subject: string): Balance => {
    const balance = stored.get(subject) ?? emptyBalance(subject);
    return delta === undefined ? balance : applyDelta(balance, delta);
  };
}

function areMet(preconditions: readonly Precondition[], stored: ReadonlyMap<string, Balance>): boolean {
  return preconditions.every(({ selector, min, max }) => {
    const value = balanceValue(selector, stored.get(selector.subject) ?? emptyBalance(selector.subject));
    return (min === null || value >= min) && (max === null || value <= max);
  });
}

/** The preconditions on the balances before the delta. */
function beforeDelta(
  preconditions: readonly Precondition[],
  delta: BalanceDelta | undefined,
): readonly Precondition[] {
  const all = new Preconditions();
  for (const precondition of preconditions) all.add(precondition, delta);
  return all.all();
}

describe('a decision on cached balances', () => {
  it('to admit equals the decision on the current ones when these meet its preconditions', () => {
    let [met, refused] = [0, 0];
    fc.assert(
      fc.property(balances, balances, earlier, requests, (cached, actual, delta, request) => {
        const decided = admit(request, reader(cached, delta));
        fc.pre(decided.kind === 'admitted');
        const preconditions = admissionPreconditions(request, reader(cached, delta));
        const now = admit(request, reader(actual, delta));
        if (areMet(beforeDelta(preconditions, delta), actual)) {
          met++;
          expect(now).toEqual(decided);
        } else refused += now.kind === 'admitted' ? 0 : 1;
      }),
      RUNS,
    );
    expect(Math.min(met, refused)).toBeGreaterThan(50);
  });

  it('has no more preconditions than necessary: the same balances meet them', () => {
    fc.assert(
      fc.property(balances, earlier, requests, (cached, delta, request) => {
        fc.pre(admit(request, reader(cached, delta)).kind === 'admitted');
        const preconditions = admissionPreconditions(request, reader(cached, delta));
        expect(areMet(beforeDelta(preconditions, delta), cached)).toBe(true);
      }),
      RUNS,
    );
  });

  it('to charge equals the decision on the current ones when these meet its preconditions', () => {
    const charges = fc.record({
      plan: fc.constant('pay_as_you_go' as const),
      isByok: fc.boolean(),
      costNanoUsd: small,
    });
    const usedBy = (stored: ReadonlyMap<string, Balance>, delta: BalanceDelta | undefined) =>
      byokOfMonth(reader(stored, delta)(ACCOUNT), windowStart('monthly', AT)) ?? 0n;
    fc.assert(
      fc.property(balances, balances, earlier, charges, (cached, actual, delta, charge) => {
        const account = reader(cached, delta)(ACCOUNT);
        const preconditions = beforeDelta(settlementPreconditions(charge, account, AT), delta);
        const [then, now] = [cached, actual].map((stored) => settlementOf(charge, usedBy(stored, delta)));
        if (areMet(preconditions, actual)) expect(now).toEqual(then);
      }),
      RUNS,
    );
  });
});

describe('preconditions on the same value', () => {
  const daily: BalanceSelector = { subject: 's', kind: 'credit', interval: 'daily', start: 0 };
  const merged = (...list: readonly Precondition[]) => {
    const preconditions = new Preconditions();
    for (const one of list) preconditions.add(one, undefined);
    return preconditions.all();
  };

  it.each<[string, Range, Range, Range]>([
    ['two maxima, the lower last', { min: null, max: 5n }, { min: null, max: 3n }, { min: null, max: 3n }],
    ['two maxima, the lower first', { min: null, max: 3n }, { min: null, max: 5n }, { min: null, max: 3n }],
    ['two minima, the higher last', { min: 1n, max: null }, { min: 2n, max: null }, { min: 2n, max: null }],
    ['two minima, the higher first', { min: 2n, max: null }, { min: 1n, max: null }, { min: 2n, max: null }],
    ['a minimum, then a maximum', { min: 1n, max: null }, { min: null, max: 5n }, { min: 1n, max: 5n }],
    ['a maximum, then a minimum', { min: null, max: 5n }, { min: 1n, max: null }, { min: 1n, max: 5n }],
  ])('become one in which both hold: %s', (_, first, second, both) => {
    expect(merged({ selector: daily, ...first }, { selector: daily, ...second })).toEqual([
      { selector: daily, ...both },
    ]);
  });

  it('and on any other value stay apart', () => {
    const others: readonly BalanceSelector[] = [
      daily,
      { ...daily, kind: 'both' },
      { ...daily, interval: 'weekly' },
      { ...daily, start: 1 },
      { ...daily, subject: 't' },
    ];
    const list = others.map((selector) => ({ selector, min: null, max: 1n }));
    expect(merged(...list, ...list)).toEqual(list);
  });
});

describe('planning and reserving', () => {
  const [all, none] = [true, false].map((has) => ({ hasCredits: has, hasByokAllowance: has }));

  it('first assumes funds, then takes those that the ledger reports', async () => {
    const tried: unknown[] = [];
    const plan = await planAndReserve(AT, AT_ONCE, async (funds) => {
      tried.push(funds);
      if (tried.length > 1)
        return { plan: 'affordable', admission: { kind: 'admitted', reserve: NO_RESERVE } };
      return {
        plan: 'dear',
        admission: {
          kind: 'funds',
          funds: { hasCredits: false, hasByokAllowance: false },
          account: emptyBalance('a'),
        },
      };
    });
    expect([plan, tried]).toEqual(['affordable', [all, none]]);
  });

  it('ends with a 403 where a limit is reached', async () => {
    const limit = { kind: 'key', subject: 's', interval: null, includeByok: false } as const;
    const blocked = {
      kind: 'blocked',
      spentNanoUsd: 0n,
      reservedNanoUsd: 0n,
      limit: { ...limit, limitNanoUsd: 0n, id: 'id', name: 'Name', title: null },
    } as const;
    const planned = planAndReserve(AT, AT_ONCE, async () => ({ plan: 'any', admission: blocked }));
    await expect(planned).rejects.toMatchObject({ httpStatus: 403, reason: 'key_limit_exceeded' });
  });
});

const NO_RESERVE = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
