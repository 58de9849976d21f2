import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, notFound, type Violation } from '../base/problem.js';
import { type AvailableFunds, availableFunds } from './admission.js';
import type { Balance } from './balance.js';
import type { Plan } from './payer.js';

export interface AccountBalance {
  readonly plan: Plan;
  readonly balance: Balance;
}

export interface CreditStore {
  /** Adds an entry to the ledger; false when there is no such account. */
  addTopUp(entry: TopUp): Promise<boolean>;
  /** undefined when there is no such account. */
  balanceOf(accountId: string): Promise<AccountBalance | undefined>;
}

export interface TopUp {
  readonly id: string;
  readonly accountId: string;
  readonly amountNanoUsd: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** 1e9 USD. */
const MAX_TOP_UP_NANO_USD: NanoUsd = 10n ** 18n;

/** A new account starts with 0 to 1e9 USD. */
export function checkFirstCredits(field: string, amountNanoUsd: NanoUsd): Violation[] {
  if (amountNanoUsd >= 0n && amountNanoUsd <= MAX_TOP_UP_NANO_USD) return [];
  return [{ field, rule: 'range', message: 'must be from 0 to 1000000000' }];
}

/** Throws 400 for an amount that is not above 0 and at most 1e9 USD, 404 for an unknown account. */
export async function topUp(
  { store, clock, ids }: { readonly store: CreditStore; readonly clock: Clock; readonly ids: Ids },
  accountId: string,
  amountNanoUsd: NanoUsd,
): Promise<void> {
  if (amountNanoUsd <= 0n || amountNanoUsd > MAX_TOP_UP_NANO_USD) {
    throw invalid([
      { field: 'amount', rule: 'range', message: 'must be more than 0 and at most 1000000000' },
    ]);
  }
  const entry = { id: ids.uuid(), accountId, amountNanoUsd, createdAt: clock.now() };
  if (!(await store.addTopUp(entry))) throw notFound();
}

/** The funds of an account; an unknown account has none. */
export async function accountFunds(
  store: Pick<CreditStore, 'balanceOf'>,
  accountId: string,
  nowMs: number,
): Promise<AvailableFunds> {
  const found = await store.balanceOf(accountId);
  if (found === undefined) return { hasCredits: false, hasByokAllowance: false };
  return availableFunds(found.balance, found.plan, nowMs);
}
