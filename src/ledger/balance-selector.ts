/** The values of a balance that decisions read, under the names that the SQL of the preconditions uses too. */
import type { NanoUsd } from '../base/money.js';
import { type Balance, type BalanceDelta, spentSince } from './balance.js';
import type { SpendLimit } from './limits.js';
import { type Interval, windowStart } from './windows.js';

/**
 * `credit`: charged to credits and reserved; `both`: that and BYOK usage at list price; `owed`: `credit` less all
 * top-ups; `byok`: BYOK usage and what is reserved of it; `settled_byok`: BYOK usage without reservations.
 */
export type BalanceKind = 'credit' | 'both' | 'owed' | 'byok' | 'settled_byok';

/** Selects one value of one balance. */
export interface BalanceSelector {
  readonly subject: string;
  readonly kind: BalanceKind;
  /** null = since ever. */
  readonly interval: Interval | null;
  /** Start of the window in Unix milliseconds; 0 without an interval. */
  readonly start: number;
}

/** The value that a limit applies to. */
export function limitSelector({ subject, includeByok, interval }: SpendLimit, at: number): BalanceSelector {
  const start = interval === null ? 0 : windowStart(interval, at);
  return { subject, kind: includeByok ? 'both' : 'credit', interval, start };
}

/** Spent and reserved beyond all top-ups: below 0 the account has credits left. */
export function owedSelector({ subject }: Balance): BalanceSelector {
  return { subject, kind: 'owed', interval: null, start: 0 };
}

/** What an account has used of its free BYOK allowance, with or without what is reserved. */
export function allowanceSelector(
  { subject }: Balance,
  kind: 'byok' | 'settled_byok',
  at: number,
): BalanceSelector {
  return { subject, kind, interval: 'monthly', start: windowStart('monthly', at) };
}

/** The selected value of a balance, or what a delta adds to it. */
export function balanceValue({ kind, interval, start }: BalanceSelector, balance: BalanceDelta): NanoUsd {
  const { creditNanoUsd, byokNanoUsd } =
    interval === null ? balance.total : spentSince(balance, interval, start);
  const { reserved } = balance;
  switch (kind) {
    case 'credit':
      return creditNanoUsd + reserved.creditNanoUsd;
    case 'both':
      return creditNanoUsd + byokNanoUsd + reserved.sumNanoUsd;
    case 'owed':
      return creditNanoUsd + reserved.creditNanoUsd - balance.topUpNanoUsd;
    case 'byok':
      return byokNanoUsd + reserved.byokNanoUsd;
    case 'settled_byok':
      return byokNanoUsd;
  }
}
