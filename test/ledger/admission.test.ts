import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AvailableFunds, admit, availableFunds, type MaxCost } from '../../src/ledger/admission.js';
import { type Balance, emptyBalance, type Reserve } from '../../src/ledger/balance.js';
import type { SpendLimit } from '../../src/ledger/limits.js';
import { type Payer, subjects, subjectsOf } from '../../src/ledger/payer.js';
import { windowStart } from '../../src/ledger/windows.js';
import { charged, reserved, toppedUp } from './acts.js';
import { InMemoryBook } from './in-memory-book.js';

const NOW = Date.UTC(2026, 2, 18, 12);
const USD = 10n ** 9n;
const ALLOWANCE = 25_000n * USD;
const RICH: AvailableFunds = { hasCredits: true, hasByokAllowance: true };

function payer(key: number): Payer {
  return { accountId: 'a', workspaceId: `w${key % 2}`, apiKeyHash: `k${key}`, userId: `u${key % 3}` };
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

describe('what an account can pay with (interface section 5)', () => {
  const reserve = { creditNanoUsd: 5n, byokNanoUsd: 7n, sumNanoUsd: 12n };

  it.each([
    ['nothing given', account(), false],
    ['credits left', account({ topUp: 10n, credit: 9n }), true],
    ['all spent', account({ topUp: 10n, credit: 10n }), false],
    ['the rest is reserved', account({ topUp: 10n, credit: 5n, reserve }), false],
  ])('credits: %s', (_, balance, hasCredits) => {
    expect(availableFunds(balance, 'pay_as_you_go', NOW)).toEqual({ hasCredits, hasByokAllowance: true });
  });

  it('the free BYOK allowance, until spent and reserved have reached it, and anew next month', () => {
    const has = (balance: Balance, at = NOW) => availableFunds(balance, 'pay_as_you_go', at).hasByokAllowance;
    expect(has(account({ byok: ALLOWANCE - 1n }))).toBe(true);
    expect(has(account({ byok: ALLOWANCE }))).toBe(false);
    expect(has(account({ byok: ALLOWANCE - 7n, reserve }))).toBe(false);
    expect(has(account({ byok: ALLOWANCE }), Date.UTC(2026, 3, 1))).toBe(true);
    expect(availableFunds(account({ byok: ALLOWANCE }), 'enterprise', NOW).hasByokAllowance).toBe(true);
  });
});

describe('admission (interface section 5)', () => {
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

  it('says what means there are where they are not the assumed ones', () => {
    expect(ask(account(), { sharedNanoUsd: 1n })).toEqual({ kind: 'funds', funds: NO_CREDITS });
    expect(ask(poor, { byokNanoUsd: 1n }, NO_CREDITS)).toEqual({ kind: 'funds', funds: NOTHING });
  });

  it('looks at limits first, whatever the means', () => {
    const limit: SpendLimit = {
      kind: 'key',
      subject: subjects.key('k0'),
      interval: null,
      includeByok: false,
      limitNanoUsd: 0n,
      title: null,
    };
    expect(ask(account(), { sharedNanoUsd: 1n }, RICH, [limit])).toEqual({ kind: 'blocked', limit });
  });

  it('keeps back the dearer way to pay, the fee of the BYOK way among it', () => {
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
const ways = fc.constantFrom('shared', 'byok', 'either');
const starts = fc.record({
  act: fc.constant('start' as const),
  key: fc.nat(3),
  way: ways,
  shared: costs,
  byok: costs,
});
const ends = fc.record({
  act: fc.constant('end' as const),
  pick: fc.nat(),
  isByok: fc.boolean(),
  share: fc.nat(100),
});
const later = fc.record({ act: fc.constant('wait' as const), hours: fc.nat(30) });
const acts = fc.array(fc.oneof({ weight: 5, arbitrary: starts }, { weight: 4, arbitrary: ends }, later), {
  maxLength: 80,
});

const limits = fc.array(
  fc.record({
    of: fc.constantFrom(0, 1, 2, 3, 4),
    interval: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const, null),
    includeByok: fc.boolean(),
    limitNanoUsd: fc.bigInt({ min: 0n, max: 3_000n }),
  }),
  { maxLength: 4 },
);

describe('at the edge of a limit (interface section 5, R1)', () => {
  it('any interleaving of requests overshoots by at most one request, and leaves nothing reserved (R4)', () => {
    const used = fc.bigInt({ min: 0n, max: 200n }).map((value) => ALLOWANCE - value * 20n);
    fc.assert(
      fc.property(acts, limits, used, (list, bounds, usedNanoUsd) => {
        const run = new Interleaving(bounds, usedNanoUsd);
        for (const one of list) run.act(one);
        run.endAll();
        expect(run.faults).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('nor do requests that others overtake, which use up the free allowance first', () => {
    const book = new InMemoryBook('pay_as_you_go');
    book.topUp('a', USD);
    const limit: Bound = { of: 0, interval: null, includeByok: false, limitNanoUsd: 10n };
    const maxCost = { sharedNanoUsd: null, byokNanoUsd: 1_000n };
    const nothing = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
    book.settle(payer(9), nothing, true, ALLOWANCE - 10_000n, NOW);
    const slow = Array.from({ length: 10 }, () => book.start(payer(0), [limitOf(limit)], maxCost, NOW));
    const fast = Array.from({ length: 10 }, () => book.start(payer(1), [], maxCost, NOW));
    const fees = (reserves: typeof slow, key: number) =>
      reserves.map((reserve) =>
        reserve === undefined ? 0n : book.settle(payer(key), reserve, true, 1_000n, NOW).spend.creditNanoUsd,
      );
    expect(fees(fast, 1).every((fee) => fee === 0n)).toBe(true);
    const total = fees(slow, 0).reduce((sum, fee) => sum + fee, 0n);
    expect(total).toBeLessThanOrEqual(10n + 50n);
  });
});

type Act = typeof acts extends fc.Arbitrary<(infer A)[]> ? A : never;
type Bound = typeof limits extends fc.Arbitrary<(infer B)[]> ? B : never;

interface Open {
  readonly payer: Payer;
  readonly reserve: Reserve;
  readonly maxCost: MaxCost;
  readonly at: number;
}

/** Requests of four keys of one account, whose BYOK usage is near the free allowance. */
class Interleaving {
  readonly faults: string[] = [];
  readonly #book = new InMemoryBook('pay_as_you_go');
  readonly #bounds: readonly Bound[];
  readonly #open: Open[] = [];
  /** Of each limit and window: what counted, and the most that one request came to. */
  readonly #counted = new Map<string, { sum: bigint; most: bigint }>();
  #now = NOW;

  constructor(bounds: readonly Bound[], usedNanoUsd: bigint) {
    this.#bounds = bounds;
    this.#book.topUp('a', 10n ** 6n);
    const before = payer(9);
    const nothing = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
    this.#book.settle(before, nothing, true, usedNanoUsd, NOW);
  }

  act(one: Act): void {
    if (one.act === 'wait') this.#now += one.hours * 3_600_000;
    else if (one.act === 'start') this.#start(one);
    else this.#end(one.pick, one.isByok, one.share);
  }

  endAll(): void {
    while (this.#open.length > 0) this.#end(0, this.#open.length % 2 === 0, 100);
    for (const subject of [0, 1, 2, 3].flatMap((key) => [...subjectsOf(payer(key))])) {
      const { creditNanoUsd, byokNanoUsd, sumNanoUsd } = this.#book.balanceOf(subject).reserved;
      if (creditNanoUsd !== 0n || byokNanoUsd !== 0n || sumNanoUsd !== 0n) {
        this.faults.push(`${subject} still has reservations`);
      }
    }
  }

  #start({ key, way, shared, byok }: Extract<Act, { act: 'start' }>): void {
    const who = payer(key);
    const maxCost = {
      sharedNanoUsd: way === 'byok' ? null : shared,
      byokNanoUsd: way === 'shared' ? null : byok,
    };
    const applying = this.#bounds
      .map((bound) => limitOf(bound))
      .filter(({ subject }) => subjectsOf(who).includes(subject));
    const reserve = this.#book.start(who, applying, maxCost, this.#now);
    if (reserve !== undefined) this.#open.push({ payer: who, reserve, maxCost, at: this.#now });
  }

  #end(pick: number, wantsByok: boolean, share: number): void {
    const [one] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (one === undefined) return;
    const { sharedNanoUsd, byokNanoUsd } = one.maxCost;
    const isByok = sharedNanoUsd === null || (byokNanoUsd !== null && wantsByok);
    const maxCost = (isByok ? byokNanoUsd : sharedNanoUsd) ?? 0n;
    const cost = (((maxCost / 20n) * BigInt(share)) / 100n) * 20n;
    const { spend } = this.#book.settle(one.payer, one.reserve, isByok, cost, one.at);
    for (const [index, bound] of this.#bounds.entries()) {
      const { subject, interval, includeByok, limitNanoUsd } = limitOf(bound);
      if (!subjectsOf(one.payer).includes(subject)) continue;
      const window = interval === null ? '' : windowStart(interval, one.at);
      const amount = spend.creditNanoUsd + (includeByok ? spend.byokNanoUsd : 0n);
      const name = `${index} ${window}`;
      const { sum, most } = this.#counted.get(name) ?? { sum: 0n, most: 0n };
      const next = { sum: sum + amount, most: amount > most ? amount : most };
      this.#counted.set(name, next);
      if (next.sum > limitNanoUsd + next.most)
        this.faults.push(`limit ${name}: ${next.sum} of ${limitNanoUsd}`);
    }
  }
}

/** Limit 4 is the whole account's, the others are of keys. */
function limitOf({ of, ...bound }: Bound): SpendLimit {
  const subject = of === 4 ? subjects.account('a') : subjects.key(`k${of}`);
  return { kind: 'key', subject, title: null, ...bound };
}
