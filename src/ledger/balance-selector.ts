/** The sums of a balance that decisions look at, each under a name: the database knows them by the same names. */
import type { NanoUsd } from '../base/money.js';
import { type Balance, type BalanceDelta, spentSince } from './balance.js';
import type { SpendLimit } from './limits.js';
import { type Interval, windowStart } from './windows.js';

/**
 * `credit`: charged to credits and reserved; `both`: that and BYOK usage at list price; `owed`: `credit` less what was
 * given; `byok`: BYOK usage and what is reserved of it; `settled_byok`: BYOK usage alone.
 */
export type BalanceKind = 'credit' | 'both' | 'owed' | 'byok' | 'settled_byok';

/** One figure of one balance. */
export interface BalanceSelector {
  readonly subject: string;
  readonly kind: BalanceKind;
  /** null = for ever. */
  readonly interval: Interval | null;
  /** When the interval's window begins, in Unix milliseconds; 0 for ever. */
  readonly start: number;
}

/** What a limit bounds. */
export function limitSelector({ subject, includeByok, interval }: SpendLimit, at: number): BalanceSelector {
  const start = interval === null ? 0 : windowStart(interval, at);
  return { subject, kind: includeByok ? 'both' : 'credit', interval, start };
}

/** What an account has used of its credits beyond what it was given; it has some left below 0. */
export function owedSelector({ subject }: Balance): BalanceSelector {
  return { subject, kind: 'owed', interval: null, start: 0 };
}

/** What an account has used of its free BYOK allowance, or what of it is settled (spec section 8). */
export function allowanceSelector(
  { subject }: Balance,
  kind: 'byok' | 'settled_byok',
  at: number,
): BalanceSelector {
  return { subject, kind, interval: 'monthly', start: windowStart('monthly', at) };
}

/** The figure of its subject's balance, or what a movement adds to it. */
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
