/**
 * Whether a request is admitted, and what is reserved for it: what is spent and reserved together must be below every
 * limit that applies. `admit` is pure; the ledger runs it under the lock of the account, or on cached balances with
 * preconditions that the database checks. See `docs/money.md#reservations`.
 */
import type { NanoUsd } from '../base/money.js';
import { type Balance, type BalanceDelta, type Reserve, withoutReserved } from './balance/balance.js';
import {
  allowanceSelector,
  type BalanceSelector,
  balanceValue,
  limitSelector,
  owedSelector,
  type Range,
} from './balance/balance-values.js';
import { byokFee, sameFee } from './fee.js';
import { type HeldMoney, heldAllowance, heldCredits, heldLimit } from './held-money.js';
import { firstReachedLimit, isSpent, type ReachedLimit, type SpendLimit } from './limits.js';
import { type BillingPlanInForce, BYOK_ALLOWANCE_NANO_USD, type Payer, subjects } from './payer.js';

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
  readonly plan: BillingPlanInForce;
  readonly limits: readonly SpendLimit[];
  readonly maxCost: MaxCost;
  /** The funds that the attempts were planned with. */
  readonly funds: AvailableFunds;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Admitted; or a limit is spent; or the account has less funds than the attempts were planned with; or requests in flight
 * hold money that is needed.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly reserve: Reserve }
  | ({ readonly kind: 'blocked' } & ReachedLimit)
  | { readonly kind: 'funds'; readonly funds: AvailableFunds; readonly account: Balance }
  | HeldBack;

/** `left`: where funds of the account are held, those that nobody holds. */
export interface HeldBack {
  readonly kind: 'held';
  readonly held: HeldMoney;
  readonly left: { readonly funds: AvailableFunds; readonly account: Balance } | null;
}

/**
 * Requests that are admitted after this one and settled before it take the free allowance first. The fee of a request
 * is therefore reserved as if this much more of the allowance had been used.
 */
const BYOK_MARGIN_NANO_USD: NanoUsd = 1_000n * 10n ** 9n;

/** `balanceOf` must know the payer's account and the subject of every limit. */
export function admit(request: SpendRequest, balanceOf: (subject: string) => Balance): Admission {
  const { payer, plan, limits, maxCost, at } = request;
  const reached = firstReachedLimit(limits, balanceOf, at);
  if (reached !== undefined && isSpent(reached)) return { kind: 'blocked', ...reached };
  const account = balanceOf(subjects.account(payer.accountId));
  const unspent = availableFunds(withoutReserved(account), plan, at);
  if (exceedsFunds(request, unspent)) return { kind: 'funds', funds: unspent, account };
  if (reached !== undefined) return { kind: 'held', held: heldLimit(reached), left: null };
  const funds = availableFunds(account, plan, at);
  if (exceedsFunds(request, funds))
    return { kind: 'held', held: heldFunds(account, plan, unspent, at), left: { funds, account } };
  const usedBefore = allowanceUsedFor(account, at);
  return { kind: 'admitted', reserve: reserveFor(maxCost, (cost) => byokFee(plan, usedBefore, cost)) };
}

/** What a fee is reserved by: of the allowance, with what is reserved and the margin. */
export function allowanceUsedFor(account: Balance, at: number): NanoUsd {
  return balanceValue(allowanceSelector(account, 'byok', at), account) + BYOK_MARGIN_NANO_USD;
}

/** Which funds of the account are held; of those that nobody has spent, credits come first. */
export function heldFunds(
  account: Balance,
  plan: BillingPlanInForce,
  unspent: AvailableFunds,
  at: number,
): HeldMoney {
  return unspent.hasCredits || plan === 'unbilled' ? heldCredits(account) : heldAllowance(account, plan, at);
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
  if (plan === 'unbilled') return preconditions;
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
export function availableFunds(account: Balance, plan: BillingPlanInForce, at: number): AvailableFunds {
  if (plan === 'unbilled') return { hasCredits: true, hasByokAllowance: true };
  return {
    hasCredits: balanceValue(owedSelector(account), account) < 0n,
    hasByokAllowance:
      balanceValue(allowanceSelector(account, 'byok', at), account) < BYOK_ALLOWANCE_NANO_USD[plan],
  };
}

/** A value of a balance must lie within a range. */
export interface Precondition extends Range {
  readonly selector: BalanceSelector;
}

/** Preconditions that must all hold, merged to one for each value. */
export class Preconditions {
  readonly #bySubject = new Map<string, Precondition[]>();

  /** Adds a precondition on the balance after `delta`, as one on the balance before it. */
  add(precondition: Precondition, delta: BalanceDelta | undefined): void {
    const { selector } = precondition;
    const { min, max } =
      delta === undefined ? precondition : shifted(precondition, -balanceValue(selector, delta));
    const known = this.#bySubject.get(selector.subject);
    const index = known?.findIndex((other) => isSame(other.selector, selector)) ?? -1;
    const other = known?.[index];
    if (known === undefined) this.#bySubject.set(selector.subject, [{ selector, min, max }]);
    else if (other === undefined) known.push({ selector, min, max });
    else known[index] = intersected(other, min, max);
  }

  all(): readonly Precondition[] {
    return [...this.#bySubject.values()].flat();
  }
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

export function isPaid(maxCost: NanoUsd | null): maxCost is NanoUsd {
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

function atMost(selector: BalanceSelector, max: NanoUsd): Precondition {
  return { selector, min: null, max };
}

function shifted({ min, max }: Range, by: NanoUsd): Range {
  return { min: min === null ? null : min + by, max: max === null ? null : max + by };
}

/** Both are of the same subject. */
function isSame(a: BalanceSelector, b: BalanceSelector): boolean {
  return a.kind === b.kind && a.interval === b.interval && a.start === b.start;
}

function intersected(
  { selector, ...range }: Precondition,
  min: NanoUsd | null,
  max: NanoUsd | null,
): Precondition {
  return {
    selector,
    min: range.min === null || (min !== null && min > range.min) ? min : range.min,
    max: range.max === null || (max !== null && max < range.max) ? max : range.max,
  };
}
