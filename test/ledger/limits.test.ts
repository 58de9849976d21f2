import { describe, expect, it } from 'vitest';
import { type Balance, emptyBalance, type Spend } from '../../src/ledger/balance/balance.js';
import { INTERVALS } from '../../src/ledger/balance/windows.js';
import { firstReachedLimit, limitReached, type SpendLimit } from '../../src/ledger/limits.js';
import { charged, reserved } from './balance-changes.js';

/** A Wednesday. */
const NOW = Date.UTC(2026, 2, 18, 12);
const DAY_MS = 86_400_000;

function limit(fields: Partial<SpendLimit> = {}): SpendLimit {
  return {
    kind: 'key',
    subject: 's',
    interval: null,
    includeByok: false,
    limitNanoUsd: 100n,
    id: 'id',
    name: 'Name',
    title: null,
    ...fields,
  } satisfies SpendLimit;
}

const spend = (creditNanoUsd: bigint, byokNanoUsd = 0n): Spend => ({ creditNanoUsd, byokNanoUsd });
const spent = (amount: Spend, at = NOW) => charged(emptyBalance('s'), amount, at);
const reachedOf = (one: SpendLimit) => ({
  limit: one,
  spentNanoUsd: one.limitNanoUsd,
  reservedNanoUsd: 0n,
});
const isReached = (one: SpendLimit, balance: Balance, at = NOW) =>
  firstReachedLimit([one], () => balance, at)?.limit === one;

describe('a request is admitted while spent and reserved are below the limit', () => {
  it('but not when they have reached it, to the nano-USD', () => {
    expect(isReached(limit(), spent(spend(99n)))).toBe(false);
    expect(isReached(limit(), spent(spend(100n)))).toBe(true);
    const reserve = { creditNanoUsd: 1n, byokNanoUsd: 1n, sumNanoUsd: 2n };
    expect(isReached(limit(), reserved(spent(spend(98n)), reserve))).toBe(false);
    expect(isReached(limit(), reserved(spent(spend(99n)), reserve))).toBe(true);
    expect(isReached(limit({ includeByok: true }), reserved(spent(spend(98n)), reserve))).toBe(true);
  });

  it('a limit of 0 admits nothing', () => {
    expect(isReached(limit({ limitNanoUsd: 0n }), emptyBalance('s'))).toBe(true);
  });

  it.each([
    [false, spend(0n, 1_000n), false],
    [false, spend(100n), true],
    [true, spend(0n, 100n), true],
    [true, spend(40n, 60n), true],
    [true, spend(40n, 59n), false],
  ])('counts BYOK usage only when it is included: %s', (includeByok, amount, expected) => {
    expect(isReached(limit({ includeByok }), spent(amount))).toBe(expected);
  });

  it.each([
    ['daily', 1, 1],
    ['weekly', 3, 5],
    ['monthly', 18, 14],
  ] as const)('%s: spending before or after the window does not count', (interval, before, after) => {
    const one = limit({ interval });
    expect(isReached(one, spent(spend(100n)))).toBe(true);
    expect(isReached(one, spent(spend(100n), NOW - before * DAY_MS))).toBe(false);
    expect(isReached(one, spent(spend(100n)), NOW + after * DAY_MS)).toBe(false);
    expect(isReached(limit(), spent(spend(100n)), NOW + after * DAY_MS)).toBe(true);
  });

  it('checks each window separately: day and month side by side', () => {
    const balance = charged(spent(spend(60n), NOW - DAY_MS), spend(60n), NOW);
    const reached = (daily: bigint, monthly: bigint) =>
      firstReachedLimit(
        [
          limit({ interval: 'daily', limitNanoUsd: daily }),
          limit({ interval: 'monthly', limitNanoUsd: monthly }),
        ],
        () => balance,
        NOW,
      )?.limit.interval;
    expect([reached(61n, 121n), reached(60n, 121n), reached(61n, 120n)]).toEqual([
      undefined,
      'daily',
      'monthly',
    ]);
  });

  it('every limit that applies must admit it, each on its own subject', () => {
    const balances = new Map([['full', spent(spend(100n))]]);
    const of = (subject: string) => balances.get(subject) ?? emptyBalance(subject);
    const [free, full] = [limit({ subject: 'empty' }), limit({ subject: 'full', kind: 'workspace' })];
    expect(firstReachedLimit([free], of, NOW)).toBeUndefined();
    expect(firstReachedLimit([free, full], of, NOW)?.limit).toBe(full);
    expect(firstReachedLimit([full, free], of, NOW)?.limit).toBe(full);
  });
});

describe('the error when a limit is reached', () => {
  it.each([...INTERVALS, null])('of a key names its window: %s', (interval) => {
    const problem = limitReached(reachedOf(limit({ interval, limitNanoUsd: 25_000_000_000n })), NOW);
    expect([problem.httpStatus, problem.reason]).toEqual([403, 'key_limit_exceeded']);
    const resets = {
      daily: 'resets 2026-03-19T00:00Z',
      weekly: 'resets 2026-03-23T00:00Z',
      monthly: 'resets 2026-04-01T00:00Z',
    };
    expect(problem.message).toBe(
      `Key limit exceeded (${interval ?? 'total'} limit): 25.00 of 25.00 USD spent, ` +
        `${interval === null ? 'does not reset' : resets[interval]}, whoever has a management key of the account can raise it ` +
        '(PATCH /keys/{hash}); requests over your own provider keys (BYOK) are held to it too',
    );
  });

  it('of a budget names it, its amount and when it resets', () => {
    const budget = { interval: 'weekly', limitNanoUsd: 2_500_000_000n } as const;
    const of = limit({ kind: 'guardrail', title: 'the guardrail "g"', ...budget });
    const guardrail = limitReached(
      { ...reachedOf(of), spentNanoUsd: 2_400_000_000n, reservedNanoUsd: 100_000_000n },
      NOW,
    );
    expect(guardrail.message).toBe(
      'Guardrail budget exceeded: the guardrail "g" allows 2.5 USD weekly: 2.40 of 2.50 USD spent, ' +
        '0.10 USD reserved for requests in flight, resets 2026-03-23T00:00Z, whoever has a management key of the account can ' +
        'raise it (PATCH /guardrails/{id}); requests over your own provider keys (BYOK) are held to it too',
    );
    expect(guardrail.metadata).toEqual({
      id: 'id',
      name: 'Name',
      limit_usd: 2.5,
      spent_usd: 2.4,
      reserved_usd: 0.1,
      interval: 'weekly',
      resets_at: '2026-03-23T00:00:00.000Z',
    });
    const workspace = limitReached(reachedOf(limit({ kind: 'workspace', limitNanoUsd: 1n })), NOW);
    expect([workspace.httpStatus, workspace.reason]).toEqual([403, 'workspace_budget_exceeded']);
    expect(workspace.message).toContain(
      '0.000000001 USD in all: 0.000000001 of 0.000000001 USD spent, does not reset, whoever',
    );
    expect(workspace.metadata).toMatchObject({ interval: null, resets_at: null });
  });
});
