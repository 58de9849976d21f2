import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { formatNano, type NanoUsd } from '../base/money.js';
import { invalid, notFound, type Violation } from '../base/problem.js';
import { type AvailableFunds, availableFunds, heldFunds } from './admission.js';
import { type Balance, withoutReserved } from './balance/balance.js';
import type { HeldMoney } from './held-money.js';
import type { BillingPlanInForce } from './payer.js';

export interface AccountBalance {
  readonly plan: BillingPlanInForce;
  readonly balance: Balance;
  /** What was used while nothing was billed, at list price; never charged. */
  readonly unbilledNanoUsd: NanoUsd;
}

export interface CreditStore {
  /**
   * Adds an entry to the ledger. Where more is taken back than the account has left, nothing is written and the answer
   * says how much is left; what its requests in flight have reserved counts as spent. undefined when there is no such
   * account.
   */
  addTopUp(entry: TopUp): Promise<ToppedUp | undefined>;
  /** The newest entries first, at most so many. */
  listTopUps(accountId: string, limit: number): Promise<readonly TopUp[]>;
  /** undefined when there is no such account. */
  balanceOf(accountId: string): Promise<AccountBalance | undefined>;
}

export interface TopUp {
  readonly id: string;
  readonly accountId: string;
  /** Below 0: taken back. */
  readonly amountNanoUsd: NanoUsd;
  /** Why, as the operator says it; null = nothing said. */
  readonly note: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface ToppedUp {
  readonly isAdded: boolean;
  /** What is left after it, or was before it where nothing was added. */
  readonly leftNanoUsd: NanoUsd;
}

/** 1e9 USD. */
const MAX_TOP_UP_NANO_USD: NanoUsd = 10n ** 18n;

/** A new account starts with 0 to 1e9 USD. */
export function checkFirstCredits(field: string, amountNanoUsd: NanoUsd): Violation[] {
  if (amountNanoUsd >= 0n && amountNanoUsd <= MAX_TOP_UP_NANO_USD) return [];
  return [{ field, rule: 'range', message: 'must be from 0 to 1000000000' }];
}

/** How long a note may be. */
const MAX_NOTE_CHARACTERS = 500;

/**
 * Gives credits, or takes them back, which needs a note. Throws 400 for an amount of 0 or beyond 1e9 USD, for a bad note, and
 * for more than is left; 404 for an unknown account.
 */
export async function topUp(
  { store, clock, ids }: { readonly store: CreditStore; readonly clock: Clock; readonly ids: Ids },
  accountId: string,
  amountNanoUsd: NanoUsd,
  note: string | null = null,
): Promise<void> {
  const violations = [...amountViolations(amountNanoUsd), ...noteViolations(amountNanoUsd, note)];
  if (violations.length > 0) throw invalid(violations);
  const entry = { id: ids.uuid(), accountId, amountNanoUsd, note, createdAt: clock.now() };
  const toppedUp = await store.addTopUp(entry);
  if (toppedUp === undefined) throw notFound();
  if (!toppedUp.isAdded) throw invalid([moreThanLeft(toppedUp.leftNanoUsd)]);
}

function amountViolations(amount: NanoUsd): Violation[] {
  if (amount !== 0n && amount >= -MAX_TOP_UP_NANO_USD && amount <= MAX_TOP_UP_NANO_USD) return [];
  return [{ field: 'amount', rule: 'range', message: 'must be from -1000000000 to 1000000000, and not 0' }];
}

function noteViolations(amount: NanoUsd, note: string | null): Violation[] {
  if (note === null) {
    if (amount >= 0n) return [];
    return [{ field: 'note', rule: 'required', message: 'must say why credits are taken back' }];
  }
  if (note.trim() !== '' && note.length <= MAX_NOTE_CHARACTERS) return [];
  return [{ field: 'note', rule: 'length', message: `must have 1 to ${MAX_NOTE_CHARACTERS} characters` }];
}

function moreThanLeft(left: NanoUsd): Violation {
  const most = left > 0n ? `at most ${formatNano(left)} USD can be taken back` : 'nothing can be taken back';
  const message = `${most}: the rest is spent, or reserved for requests in flight`;
  return { field: 'amount', rule: 'left', message };
}

/** The funds of an account as if no request were in flight; an unknown account has none. */
export async function accountFunds(
  store: Pick<CreditStore, 'balanceOf'>,
  accountId: string,
  nowMs: number,
): Promise<AvailableFunds> {
  const found = await store.balanceOf(accountId);
  if (found === undefined) return { hasCredits: false, hasByokAllowance: false };
  return availableFunds(withoutReserved(found.balance), found.plan, nowMs);
}

/** The funds of an account, and what requests in flight hold of them; null where they hold none. */
export async function heldAccountFunds(
  store: Pick<CreditStore, 'balanceOf'>,
  accountId: string,
  nowMs: number,
): Promise<{ readonly left: AvailableFunds; readonly held: HeldMoney } | null> {
  const found = await store.balanceOf(accountId);
  if (found === undefined) return null;
  const { balance, plan } = found;
  const unspent = availableFunds(withoutReserved(balance), plan, nowMs);
  const left = availableFunds(balance, plan, nowMs);
  const isHeld = left.hasCredits !== unspent.hasCredits || left.hasByokAllowance !== unspent.hasByokAllowance;
  return isHeld ? { left, held: heldFunds(balance, plan, unspent, nowMs) } : null;
}
