/**
 * The values of a balance that decisions depend on: limits, budgets, credits and the free BYOK allowance. Decisions in
 * memory and their check in the database (`src/store/ledger/balance-sql.ts`) are made of the same table.
 */
import type { NanoUsd } from '../../base/money.js';
import type { Balance, BalanceDelta } from './balance.js';
import { type Counted, type Spend, spentIn } from './recent-windows.js';
import { type Interval, windowStart } from './windows.js';

/** What is charged to credits, fees included; the list price of BYOK usage. */
export const SPEND_KINDS = ['credit', 'byok'] as const;
export type SpendKind = (typeof SPEND_KINDS)[number];

/** The sums of a balance that are of no window. */
export const STANDING_SUMS = ['top_up', 'reserved_credit', 'reserved_byok', 'reserved_sum'] as const;
export type StandingSum = (typeof STANDING_SUMS)[number];

interface ValueRule {
  /** Which windows of the selector's interval count. */
  readonly windows: Counted;
  /** What counts of what was spent in them, or without an interval since ever. */
  readonly spent: readonly SpendKind[];
  readonly plus: readonly StandingSum[];
  readonly minus: readonly StandingSum[];
}

export type BalanceKind = 'credit' | 'both' | 'owed' | 'byok' | 'settled_byok';

export const BALANCE_VALUES: Readonly<Record<BalanceKind, ValueRule>> = {
  /** For limits and budgets: charged to credits, and reserved. */
  credit: { windows: 'since', spent: ['credit'], plus: ['reserved_credit'], minus: [] },
  /** For those that include BYOK: that, and BYOK usage at list price. */
  both: { windows: 'since', spent: ['credit', 'byok'], plus: ['reserved_sum'], minus: [] },
  /** Charged and reserved beyond all top-ups: below 0 the account has credits left. */
  owed: { windows: 'since', spent: ['credit'], plus: ['reserved_credit'], minus: ['top_up'] },
  /** Of the free BYOK allowance, with what is reserved. */
  byok: { windows: 'since', spent: ['byok'], plus: ['reserved_byok'], minus: [] },
  /** Of the allowance of exactly one month, without what is reserved: what the fee of a charge depends on. */
  settled_byok: { windows: 'exactly', spent: ['byok'], plus: [], minus: [] },
};

/** Selects one value of one balance. */
export interface BalanceSelector {
  readonly subject: string;
  readonly kind: BalanceKind;
  /** null = since ever. */
  readonly interval: Interval | null;
  /** Start of the window in Unix milliseconds; 0 without an interval. */
  readonly start: number;
}

/** The total that a limit applies to. */
export interface LimitedTotal {
  /** The subject whose total counts, see `subjects`. */
  readonly subject: string;
  /** null = never resets. */
  readonly interval: Interval | null;
  /** Whether the list price of BYOK usage counts in addition to what is charged to credits. */
  readonly includeByok: boolean;
}

/** The value that a limit applies to. */
export function limitSelector({ subject, includeByok, interval }: LimitedTotal, at: number): BalanceSelector {
  const start = interval === null ? 0 : windowStart(interval, at);
  return { subject, kind: includeByok ? 'both' : 'credit', interval, start };
}

export function owedSelector({ subject }: Balance): BalanceSelector {
  return { subject, kind: 'owed', interval: null, start: 0 };
}

/** What an account has used of its free BYOK allowance. */
export function allowanceSelector(
  { subject }: Balance,
  kind: 'byok' | 'settled_byok',
  at: number,
): BalanceSelector {
  return { subject, kind, interval: 'monthly', start: windowStart('monthly', at) };
}

/** The selected value of a balance, or what a delta adds to it. */
export function balanceValue(selector: BalanceSelector, balance: BalanceDelta): NanoUsd {
  const { plus, minus } = BALANCE_VALUES[selector.kind];
  let value = spentValue(selector, balance);
  for (const sum of plus) value += STANDING[sum](balance);
  for (const sum of minus) value -= STANDING[sum](balance);
  return value;
}

/** What of the selected value is spent: without what is reserved, and without top-ups. */
export function spentValue({ kind, interval, start }: BalanceSelector, balance: BalanceDelta): NanoUsd {
  const { windows, spent } = BALANCE_VALUES[kind];
  const within = interval === null ? balance.total : spentIn(balance, interval, start, windows);
  let value = 0n;
  for (const one of spent) value += SPENT[one](within);
  return value;
}

const SPENT: Readonly<Record<SpendKind, (spend: Spend) => NanoUsd>> = {
  credit: ({ creditNanoUsd }) => creditNanoUsd,
  byok: ({ byokNanoUsd }) => byokNanoUsd,
};

const STANDING: Readonly<Record<StandingSum, (balance: BalanceDelta) => NanoUsd>> = {
  top_up: ({ topUpNanoUsd }) => topUpNanoUsd,
  reserved_credit: ({ reserved }) => reserved.creditNanoUsd,
  reserved_byok: ({ reserved }) => reserved.byokNanoUsd,
  reserved_sum: ({ reserved }) => reserved.sumNanoUsd,
};

/** Both ends inclusive; null = unbounded. */
export interface Range {
  readonly min: NanoUsd | null;
  readonly max: NanoUsd | null;
}
