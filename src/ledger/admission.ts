/**
 * Whether a request may start, and what is reserved for it: it is admitted while spent and reserved together are below
 * every limit that applies. Pure; the ledger runs it under the lock of the account. See `docs/money.md#reservations`.
 */
import type { NanoUsd } from '../base/money.js';
import type { Balance, Reserve } from './balance.js';
import { allowanceSelector, balanceValue, limitSelector, owedSelector } from './balance-selector.js';
import { byokFee, sameFee } from './fee.js';
import { firstReachedLimit, type SpendLimit } from './limits.js';
import { type Payer, subjects } from './payer.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import { atMost, type Precondition, shifted } from './preconditions.js';

export interface AvailableFunds {
  readonly hasCredits: boolean;
  /** Whether some of the month's free BYOK allowance is left. */
  readonly hasByokAllowance: boolean;
}

/** The most that an attempt may cost at list price; null when no attempt uses shared capacity, or a BYOK key. */
export interface MaxCost {
  readonly sharedNanoUsd: NanoUsd | null;
  readonly byokNanoUsd: NanoUsd | null;
}

export interface SpendRequest {
  readonly payer: Payer;
  readonly plan: Plan;
  readonly limits: readonly SpendLimit[];
  readonly maxCost: MaxCost;
  /** The funds that the attempts were planned with. */
  readonly funds: AvailableFunds;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * BYOK usage of requests that are admitted after a request and settled before it, which takes the free allowance first.
 * The fee of a request is reserved as if this much more of the allowance had been used.
 */
const BYOK_MARGIN_NANO_USD: NanoUsd = 1_000n * 10n ** 9n;

/** Admitted; or a limit is reached; or the account has less funds than the attempts were planned with. */
export type Admission =
  | { readonly kind: 'admitted'; readonly reserve: Reserve }
  | { readonly kind: 'blocked'; readonly limit: SpendLimit }
  | { readonly kind: 'funds'; readonly funds: AvailableFunds };

/** `balanceOf` must know the payer's account and the subject of every limit. */
export function admit(request: SpendRequest, balanceOf: (subject: string) => Balance): Admission {
  const { payer, plan, limits, maxCost, at } = request;
  const limit = firstReachedLimit(limits, balanceOf, at);
  if (limit !== undefined) return { kind: 'blocked', limit };
  const account = balanceOf(subjects.account(payer.accountId));
  const funds = availableFunds(account, plan, at);
  if (exceedsFunds(request, funds)) return { kind: 'funds', funds };
  const usedBefore = balanceValue(allowanceSelector(account, 'byok', at), account) + BYOK_MARGIN_NANO_USD;
  return { kind: 'admitted', reserve: reserveFor(maxCost, (cost) => byokFee(plan, usedBefore, cost)) };
}

/** What must hold of the current balances for a request that `admit` admits on these to be admitted in the same way. */
export function admissionPreconditions(
  { payer, plan, limits, maxCost, at }: SpendRequest,
  balanceOf: (subject: string) => Balance,
): readonly Precondition[] {
  const account = balanceOf(subjects.account(payer.accountId));
  const preconditions = limits.map((limit) => atMost(limitSelector(limit, at), limit.limitNanoUsd - 1n));
  const { hasCredits, hasByokAllowance } = availableFunds(account, plan, at);
  const allowance = allowanceSelector(account, 'byok', at);
  // More funds would change nothing.
  if (hasCredits) preconditions.push(atMost(owedSelector(account), -1n));
  else if (hasByokAllowance) preconditions.push(atMost(allowance, BYOK_ALLOWANCE_NANO_USD[plan] - 1n));
  if (isPaid(maxCost.byokNanoUsd)) {
    const usedBefore = balanceValue(allowance, account) + BYOK_MARGIN_NANO_USD;
    const { min, max } = shifted(sameFee(plan, usedBefore, maxCost.byokNanoUsd), -BYOK_MARGIN_NANO_USD);
    preconditions.push({ selector: allowance, min, max });
  }
  return preconditions;
}

/** Counts what is reserved as spent. `at` is in Unix milliseconds. */
export function availableFunds(account: Balance, plan: Plan, at: number): AvailableFunds {
  return {
    hasCredits: balanceValue(owedSelector(account), account) < 0n,
    hasByokAllowance:
      balanceValue(allowanceSelector(account, 'byok', at), account) < BYOK_ALLOWANCE_NANO_USD[plan],
  };
}

/** Whether an attempt was planned that the account can't pay for. A max cost of 0 is free. */
function exceedsFunds({ funds: assumed, maxCost }: SpendRequest, actual: AvailableFunds): boolean {
  if (actual.hasCredits) return false;
  if (assumed.hasCredits && isPaid(maxCost.sharedNanoUsd)) return true;
  return (
    (assumed.hasCredits || assumed.hasByokAllowance) &&
    !actual.hasByokAllowance &&
    isPaid(maxCost.byokNanoUsd)
  );
}

function isPaid(maxCost: NanoUsd | null): maxCost is NanoUsd {
  return maxCost !== null && maxCost > 0n;
}

function reserveFor({ sharedNanoUsd, byokNanoUsd }: MaxCost, feeOf: (cost: NanoUsd) => NanoUsd): Reserve {
  const shared = sharedNanoUsd ?? 0n;
  const byok = byokNanoUsd ?? 0n;
  const fee = feeOf(byok);
  return { creditNanoUsd: larger(shared, fee), byokNanoUsd: byok, sumNanoUsd: larger(shared, byok + fee) };
}

function larger(a: NanoUsd, b: NanoUsd): NanoUsd {
  return a > b ? a : b;
}
