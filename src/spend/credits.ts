import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, notFound, type Violation } from '../base/problem.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import { windowStart } from './windows.js';

/** Sums of an account's ledger. */
export interface AccountSums {
  readonly plan: Plan;
  /** All top-ups. */
  readonly creditsNanoUsd: NanoUsd;
  /** All that was charged to credits, BYOK fees among it. */
  readonly usageNanoUsd: NanoUsd;
  /** List-price cost over BYOK keys since the instant asked for. */
  readonly byokCostNanoUsd: NanoUsd;
}

/** Keeps credits, as entries of the ledger. */
export interface CreditStore {
  /** Adds a top-up entry; false when there is no such account. */
  addTopUp(entry: TopUp): Promise<boolean>;
  /** undefined when there is no such account. */
  sumsOf(accountId: string, byokCostSince: number): Promise<AccountSums | undefined>;
}

/** Credits that an account is given. */
export interface TopUp {
  readonly id: string;
  readonly accountId: string;
  readonly amountNanoUsd: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The most that an account is given at once: 1e9 USD. */
const HIGHEST_TOP_UP_NANO_USD: NanoUsd = 10n ** 18n;

/** An account is given more than 0 and at most 1e9 USD at once. */
export function checkTopUp(field: string, amountNanoUsd: NanoUsd): Violation[] {
  if (amountNanoUsd > 0n && amountNanoUsd <= HIGHEST_TOP_UP_NANO_USD) return [];
  return [{ field, rule: 'range', message: 'must be more than 0 and at most 1000000000' }];
}

/** Gives credits to an account. Throws 400 for an amount that `checkTopUp` refuses, 404 for an unknown account. */
export async function topUp(
  { store, clock, ids }: { readonly store: CreditStore; readonly clock: Clock; readonly ids: Ids },
  accountId: string,
  amountNanoUsd: NanoUsd,
): Promise<void> {
  const violations = checkTopUp('amount', amountNanoUsd);
  if (violations.length > 0) throw invalid(violations);
  const entry = { id: ids.uuid(), accountId, amountNanoUsd, createdAt: clock.now() };
  if (!(await store.addTopUp(entry))) throw notFound();
}

/** What an account can pay with at the instant: credits that are left, and the month's free BYOK allowance. */
export async function meansOf(store: Pick<CreditStore, 'sumsOf'>, accountId: string, nowMs: number) {
  const sums = await store.sumsOf(accountId, windowStart('monthly', nowMs));
  if (sums === undefined) return { hasCredits: false, hasByokAllowance: false };
  return {
    hasCredits: sums.usageNanoUsd < sums.creditsNanoUsd,
    hasByokAllowance: sums.byokCostNanoUsd < BYOK_ALLOWANCE_NANO_USD[sums.plan],
  };
}
