/**
 * Whether a request may start, and what is kept back for it (interface section 5): it is admitted while spent and
 * reserved together are below every limit that applies. Pure; the book runs it while nobody else moves the balances.
 */
import type { NanoUsd } from '../base/money.js';
import type { Balance, Reserve } from './balance.js';
import { allowanceSelector, balanceValue, limitSelector, owedSelector } from './balance-selector.js';
import { byokFee, sameFee } from './fee.js';
import { firstReachedLimit, type SpendLimit } from './limits.js';
import { type Payer, subjects } from './payer.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import { atMost, type Precondition, shifted } from './preconditions.js';

/** What an account can pay with. */
export interface AvailableFunds {
  readonly hasCredits: boolean;
  /** Whether the month's free BYOK allowance lasts (spec section 8). */
  readonly hasByokAllowance: boolean;
}

/** The most that serving a request may cost at list price, by the way it is served; null where no attempt is that way. */
export interface MaxCost {
  readonly sharedNanoUsd: NanoUsd | null;
  readonly byokNanoUsd: NanoUsd | null;
}

/** Who asks to spend how much, under which limits. */
export interface SpendRequest {
  readonly payer: Payer;
  readonly plan: Plan;
  readonly limits: readonly SpendLimit[];
  readonly maxCost: MaxCost;
  /** What the attempts were planned for. */
  readonly funds: AvailableFunds;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * BYOK usage that may be let in after a request and yet be settled before it: it takes the free allowance first. So much
 * of it is kept for others when a request's fee is reserved.
 */
const BYOK_MARGIN_NANO_USD: NanoUsd = 1_000n * 10n ** 9n;

/** What becomes of a request to spend: it is kept back; or a limit is reached; or the means are not the assumed ones. */
export type Admission =
  | { readonly kind: 'admitted'; readonly reserve: Reserve }
  | { readonly kind: 'blocked'; readonly limit: SpendLimit }
  | { readonly kind: 'funds'; readonly funds: AvailableFunds };

/** Decides on the balances as they stand; the payer's account and the subject of every limit must be among them. */
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

/** What must hold of other balances for a request that `admit` admits on these to be admitted there alike. */
export function admissionPreconditions(
  { payer, plan, limits, maxCost, at }: SpendRequest,
  balanceOf: (subject: string) => Balance,
): readonly Precondition[] {
  const account = balanceOf(subjects.account(payer.accountId));
  const preconditions = limits.map((limit) => atMost(limitSelector(limit, at), limit.limitNanoUsd - 1n));
  const { hasCredits, hasByokAllowance } = availableFunds(account, plan, at);
  const allowance = allowanceSelector(account, 'byok', at);
  // Whoever gains means is admitted as before.
  if (hasCredits) preconditions.push(atMost(owedSelector(account), -1n));
  else if (hasByokAllowance) preconditions.push(atMost(allowance, BYOK_ALLOWANCE_NANO_USD[plan] - 1n));
  if (isPaid(maxCost.byokNanoUsd)) {
    const usedBefore = balanceValue(allowance, account) + BYOK_MARGIN_NANO_USD;
    const { min, max } = shifted(sameFee(plan, usedBefore, maxCost.byokNanoUsd), -BYOK_MARGIN_NANO_USD);
    preconditions.push({ selector: allowance, min, max });
  }
  return preconditions;
}

/** What the account can pay with at the instant, what is reserved counted as spent. */
export function availableFunds(account: Balance, plan: Plan, at: number): AvailableFunds {
  return {
    hasCredits: balanceValue(owedSelector(account), account) < 0n,
    hasByokAllowance:
      balanceValue(allowanceSelector(account, 'byok', at), account) < BYOK_ALLOWANCE_NANO_USD[plan],
  };
}

/** Whether an attempt was planned that the account can't pay for. A worst case of 0 is free. */
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
