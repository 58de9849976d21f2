import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { emptyBalance } from '../../src/ledger/balance/balance.js';
import { accountFunds, checkFirstCredits, type TopUp, topUp } from '../../src/ledger/credits.js';
import { toppedUp } from './balance-changes.js';

const BILLION_USD = 10n ** 18n;

function topUpOf(amount: bigint, isKnown = true) {
  const added: TopUp[] = [];
  const store = {
    addTopUp: async (entry: TopUp) =>
      isKnown ? { isAdded: added.push(entry) > 0, leftNanoUsd: entry.amountNanoUsd } : undefined,
    listTopUps: async () => added,
    balanceOf: async () => undefined,
  };
  const done = topUp({ store, clock: { now: () => 7 }, ids: systemIds }, 'account', amount);
  return done.then(() => added);
}

describe('credits', () => {
  it.each([1n, BILLION_USD])('may be added: %d nano-USD', async (amount) => {
    expect(await topUpOf(amount)).toMatchObject([
      { accountId: 'account', amountNanoUsd: amount, createdAt: 7 },
    ]);
  });

  it.each([0n, BILLION_USD + 1n])('may not be added: %d nano-USD', async (amount) => {
    await expect(topUpOf(amount)).rejects.toMatchObject({
      httpStatus: 400,
      violations: [{ field: 'amount', rule: 'range' }],
    });
  });

  it('of an unknown account cannot be added', async () => {
    await expect(topUpOf(1n, false)).rejects.toMatchObject({ httpStatus: 404 });
  });

  it('of a new account are 0 to a billion USD', () => {
    const rules = (amount: bigint) => checkFirstCredits('credits', amount).map(({ rule }) => rule);
    expect([0n, BILLION_USD].flatMap(rules)).toEqual([]);
    expect([-1n, BILLION_USD + 1n].map(rules)).toEqual([['range'], ['range']]);
  });

  it('are the funds of an account; an unknown account has none', async () => {
    const balance = toppedUp(emptyBalance('s'), 1n);
    const known = { balanceOf: async () => ({ plan: 'enterprise' as const, balance, unbilledNanoUsd: 0n }) };
    expect(await accountFunds(known, 'account', 0)).toEqual({ hasCredits: true, hasByokAllowance: true });
    const unknown = { balanceOf: async () => undefined };
    expect(await accountFunds(unknown, 'account', 0)).toEqual({ hasCredits: false, hasByokAllowance: false });
  });
});
