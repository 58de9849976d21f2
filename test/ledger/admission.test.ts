import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AvailableFunds, admit, availableFunds, type MaxCost } from '../../src/ledger/admission.js';
import { type Balance, emptyBalance, type Reserve } from '../../src/ledger/balance/balance.js';
import { windowStart } from '../../src/ledger/balance/windows.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { type Payer, subjects, subjectsOf } from '../../src/ledger/payer.js';
import { charged, reserved, toppedUp } from './balance-changes.js';
import { InMemoryLedger } from './in-memory-ledger.js';

const NOW = Date.UTC(2026, 2, 18, 12);
const USD = 10n ** 9n;
const ALLOWANCE = 25_000n * USD;
const RICH: AvailableFunds = { hasCredits: true, hasByokAllowance: true };

function payer(key: number): Payer {
  return {
    accountId: 'a',
    workspaceId: `w${key % 2}`,
    apiKeyHash: `k${key}`,
    userId: `u${key % 3}`,
    runId: null,
    endUser: null,
  };
}

function account(
  fields: { topUp?: bigint; credit?: bigint; byok?: bigint; reserve?: Reserve } = {},
): Balance {
  const { topUp = 0n, credit = 0n, byok = 0n, reserve } = fields;
  const balance = charged(emptyBalance('account/a'), { creditNanoUsd: credit, byokNanoUsd: byok }, NOW);
  const given = toppedUp(balance, topUp);
  return reserve === undefined ? given : reserved(given, reserve);
}

function ask(
  balance: Balance,
  maxCost: Partial<MaxCost>,
  funds: AvailableFunds = RICH,
  limits: SpendLimit[] = [],
) {
  const request = { payer: payer(0), plan: 'pay_as_you_go', limits, funds, at: NOW } as const;
  const whole = { sharedNanoUsd: null, byokNanoUsd: null, ...maxCost };
  return admit({ ...request, maxCost: whole }, (subject) =>
    subject === balance.subject ? balance : emptyBalance(subject),
  );
}

describe('available funds of an account', () => {
  const reserve = { creditNanoUsd: 5n, byokNanoUsd: 7n, sumNanoUsd: 12n };

  it.each([
    ['no top-up', account(), false],
    ['credits left', account({ topUp: 10n, credit: 9n }), true],
    ['everything spent', account({ topUp: 10n, credit: 10n }), false],
    ['the rest is reserved', account({ topUp: 10n, credit: 5n, reserve }), false],
  ])('credits: %s', (_, balance, hasCredits) => {
    expect(availableFunds(balance, 'pay_as_you_go', NOW)).toEqual({ hasCredits, hasByokAllowance: true });
  });

  it('include the free BYOK allowance until spent and reserved reach it, and again next month', () => {
    const has = (balance: Balance, at = NOW) => availableFunds(balance, 'pay_as_you_go', at).hasByokAllowance;
    expect(has(account({ byok: ALLOWANCE - 1n }))).toBe(true);
    expect(has(account({ byok: ALLOWANCE }))).toBe(false);
    expect(has(account({ byok: ALLOWANCE - 7n, reserve }))).toBe(false);
    expect(has(account({ byok: ALLOWANCE }), Date.UTC(2026, 3, 1))).toBe(true);
    expect(availableFunds(account({ byok: ALLOWANCE }), 'enterprise', NOW).hasByokAllowance).toBe(true);
  });
});

describe('admission', () => {
  const poor = account({ byok: ALLOWANCE });
  const NO_CREDITS = { hasCredits: false, hasByokAllowance: true };
  const NOTHING = { hasCredits: false, hasByokAllowance: false };

  it.each<[string, Balance, Partial<MaxCost>, AvailableFunds, string]>([
    ['credits for shared capacity', account({ topUp: 1n }), { sharedNanoUsd: 9n }, RICH, 'admitted'],
    ['no credits for shared capacity', account(), { sharedNanoUsd: 1n }, RICH, 'funds'],
    ['no credits, but it is free', account(), { sharedNanoUsd: 0n }, RICH, 'admitted'],
    ['no credits, but the allowance', account(), { byokNanoUsd: 9n }, NO_CREDITS, 'admitted'],
    ['neither credits nor allowance', poor, { byokNanoUsd: 1n }, RICH, 'funds'],
    ['neither, though the allowance was assumed', poor, { byokNanoUsd: 1n }, NO_CREDITS, 'funds'],
    ['neither, but it is free', poor, { byokNanoUsd: 0n }, RICH, 'admitted'],
    ['neither, and nothing else was planned', poor, {}, NOTHING, 'admitted'],
  ])('%s', (_, balance, maxCost, funds, kind) => {
    expect(ask(balance, maxCost, funds)).toMatchObject({ kind });
  });

  it('returns the available funds when they differ from the assumed ones', () => {
    expect(ask(account(), { sharedNanoUsd: 1n })).toMatchObject({ kind: 'funds', funds: NO_CREDITS });
    expect(ask(poor, { byokNanoUsd: 1n }, NO_CREDITS)).toMatchObject({ kind: 'funds', funds: NOTHING });
  });

  it('checks limits first, whatever the available funds', () => {
    const limit: SpendLimit = {
      kind: 'key',
      subject: subjects.key('k0'),
      interval: null,
      includeByok: false,
      limitNanoUsd: 0n,
      id: 'id',
      name: 'Name',
      title: null,
    };
    expect(ask(account(), { sharedNanoUsd: 1n }, RICH, [limit])).toEqual({
      kind: 'blocked',
      limit,
      spentNanoUsd: 0n,
      reservedNanoUsd: 0n,
    });
  });

  it('reserves the higher of both costs, with the fee of BYOK', () => {
    const rich = account({ topUp: USD, byok: 2n * ALLOWANCE });
    expect(ask(rich, { sharedNanoUsd: 100n, byokNanoUsd: 40n })).toMatchObject({
      reserve: { creditNanoUsd: 100n, byokNanoUsd: 40n, sumNanoUsd: 100n },
    });
    expect(ask(rich, { sharedNanoUsd: 1n, byokNanoUsd: 40n })).toMatchObject({
      reserve: { creditNanoUsd: 2n, byokNanoUsd: 40n, sumNanoUsd: 42n },
    });
    expect(ask(account({ topUp: USD }), { byokNanoUsd: 40n })).toMatchObject({
      reserve: { creditNanoUsd: 0n, byokNanoUsd: 40n, sumNanoUsd: 40n },
    });
  });
});

/** Amounts of which every fee is a whole number of nano-USD. */
const costs = fc.bigInt({ min: 0n, max: 50n }).map((value) => value * 20n);
const payments = fc.constantFrom('shared', 'byok', 'either');
const starts = fc.record({
  kind: fc.constant('start' as const),
  key: fc.nat(3),
  payment: payments,
  shared: costs,
  byok: costs,
});
const ends = fc.record({
  kind: fc.constant('end' as const),
  pick: fc.nat(),
  isByok: fc.boolean(),
  share: fc.nat(100),
});
const waits = fc.record({ kind: fc.constant('wait' as const), hours: fc.nat(30) });
const operations = fc.array(
  fc.oneof({ weight: 5, arbitrary: starts }, { weight: 4, arbitrary: ends }, waits),
  {
    maxLength: 80,
  },
);

const limits = fc.array(
  fc.record({
    of: fc.constantFrom(0, 1, 2, 3, 4),
    interval: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const, null),
    includeByok: fc.boolean(),
    limitNanoUsd: fc.bigInt({ min: 0n, max: 3_000n }),
  }),
  { maxLength: 4 },
);

describe('near a limit', () => {
  it('any interleaving of requests overshoots by at most one request, and leaves nothing reserved', () => {
    const used = fc.bigInt({ min: 0n, max: 200n }).map((value) => ALLOWANCE - value * 20n);
    fc.assert(
      fc.property(operations, limits, used, (list, inputs, usedNanoUsd) => {
        const interleaving = new Interleaving(inputs, usedNanoUsd);
        for (const one of list) interleaving.apply(one);
        interleaving.endAll();
        expect(interleaving.violations).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('so do requests that are settled after later ones, which have used up the free allowance', () => {
    const ledger = new InMemoryLedger('pay_as_you_go');
    ledger.topUp('a', USD);
    const limit: LimitInput = { of: 0, interval: null, includeByok: false, limitNanoUsd: 10n };
    const maxCost = { sharedNanoUsd: null, byokNanoUsd: 1_000n };
    const nothing = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
    ledger.settle(payer(9), nothing, true, ALLOWANCE - 10_000n, NOW);
    const slow = Array.from({ length: 10 }, () => ledger.start(payer(0), [limitOf(limit)], maxCost, NOW));
    const fast = Array.from({ length: 10 }, () => ledger.start(payer(1), [], maxCost, NOW));
    const fees = (reserves: typeof slow, key: number) =>
      reserves.map((reserve) =>
        reserve === undefined
          ? 0n
          : ledger.settle(payer(key), reserve, true, 1_000n, NOW).spend.creditNanoUsd,
      );
    expect(fees(fast, 1).every((fee) => fee === 0n)).toBe(true);
    const total = fees(slow, 0).reduce((sum, fee) => sum + fee, 0n);
    expect(total).toBeLessThanOrEqual(10n + 50n);
  });
});

type Operation = typeof operations extends fc.Arbitrary<(infer O)[]> ? O : never;
type LimitInput = typeof limits extends fc.Arbitrary<(infer L)[]> ? L : never;

interface Open {
  readonly payer: Payer;
  readonly reserve: Reserve;
  readonly maxCost: MaxCost;
  readonly at: number;
}

/** Requests of four keys of one account, whose BYOK usage is near the free allowance. */
class Interleaving {
  readonly violations: string[] = [];
  readonly #ledger = new InMemoryLedger('pay_as_you_go');
  readonly #limits: readonly LimitInput[];
  readonly #open: Open[] = [];
  /** By limit and window: the sum that counts, and the maximum of one request. */
  readonly #counted = new Map<string, { sum: bigint; max: bigint }>();
  #now = NOW;

  constructor(inputs: readonly LimitInput[], usedNanoUsd: bigint) {
    this.#limits = inputs;
    this.#ledger.topUp('a', 10n ** 6n);
    const before = payer(9);
    const nothing = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
    this.#ledger.settle(before, nothing, true, usedNanoUsd, NOW);
  }

  apply(one: Operation): void {
    if (one.kind === 'wait') this.#now += one.hours * 3_600_000;
    else if (one.kind === 'start') this.#start(one);
    else this.#end(one.pick, one.isByok, one.share);
  }

  endAll(): void {
    while (this.#open.length > 0) this.#end(0, this.#open.length % 2 === 0, 100);
    for (const subject of [0, 1, 2, 3].flatMap((key) => [...subjectsOf(payer(key))])) {
      const { creditNanoUsd, byokNanoUsd, sumNanoUsd } = this.#ledger.balanceOf(subject).reserved;
      if (creditNanoUsd !== 0n || byokNanoUsd !== 0n || sumNanoUsd !== 0n) {
        this.violations.push(`${subject} still has reservations`);
      }
    }
  }

  #start({ key, payment, shared, byok }: Extract<Operation, { kind: 'start' }>): void {
    const who = payer(key);
    const maxCost = {
      sharedNanoUsd: payment === 'byok' ? null : shared,
      byokNanoUsd: payment === 'shared' ? null : byok,
    };
    const applying = this.#limits
      .map((input) => limitOf(input))
      .filter(({ subject }) => subjectsOf(who).includes(subject));
    const reserve = this.#ledger.start(who, applying, maxCost, this.#now);
    if (reserve !== undefined) this.#open.push({ payer: who, reserve, maxCost, at: this.#now });
  }

  #end(pick: number, wantsByok: boolean, share: number): void {
    const [one] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (one === undefined) return;
    const { sharedNanoUsd, byokNanoUsd } = one.maxCost;
    const isByok = sharedNanoUsd === null || (byokNanoUsd !== null && wantsByok);
    const maxCost = (isByok ? byokNanoUsd : sharedNanoUsd) ?? 0n;
    const cost = (((maxCost / 20n) * BigInt(share)) / 100n) * 20n;
    const { spend } = this.#ledger.settle(one.payer, one.reserve, isByok, cost, one.at);
    for (const [index, input] of this.#limits.entries()) {
      const { subject, interval, includeByok, limitNanoUsd } = limitOf(input);
      if (!subjectsOf(one.payer).includes(subject)) continue;
      const window = interval === null ? '' : windowStart(interval, one.at);
      const amount = spend.creditNanoUsd + (includeByok ? spend.byokNanoUsd : 0n);
      const name = `${index} ${window}`;
      const { sum, max } = this.#counted.get(name) ?? { sum: 0n, max: 0n };
      const next = { sum: sum + amount, max: amount > max ? amount : max };
      this.#counted.set(name, next);
      if (next.sum > limitNanoUsd + next.max)
        this.violations.push(`limit ${name}: ${next.sum} of ${limitNanoUsd}`);
    }
  }
}

/** Limit 4 is of the account, the others are of keys. */
function limitOf({ of, ...input }: LimitInput): SpendLimit {
  const subject = of === 4 ? subjects.account('a') : subjects.key(`k${of}`);
  return { kind: 'key', subject, id: 'id', name: 'Name', title: null, ...input };
}
