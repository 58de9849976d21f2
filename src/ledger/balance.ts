/**
 * Balances: the running totals of a subject, which always equal the sums of its ledger entries, and what is reserved
 * for its requests in flight. Selectors name the values of a balance that decisions depend on. Pure: every operation
 * returns a new value.
 */
import type { NanoUsd } from '../base/money.js';
import { INTERVALS, type Interval, windowStart } from './windows.js';

/** `credit` is charged to credits, fees included; `byok` is the list price of BYOK usage. */
export interface Spend {
  readonly creditNanoUsd: NanoUsd;
  readonly byokNanoUsd: NanoUsd;
}

/** The max cost of requests in flight. */
export interface Reserve extends Spend {
  /** Max cost of both together: below their sum when one request may be paid in either way. */
  readonly sumNanoUsd: NanoUsd;
}

/** What was spent in the window that begins at `start` (Unix milliseconds). */
export interface WindowSpend extends Spend {
  readonly start: number;
}

/** A change of a balance. Each window is the newest one that anything was charged in. */
export interface BalanceDelta {
  /** Only accounts have top-ups. */
  readonly topUpNanoUsd: NanoUsd;
  readonly total: Spend;
  readonly windows: Readonly<Record<Interval, WindowSpend>>;
  readonly reserved: Reserve;
}

/** The sum of all deltas of a subject. */
export interface Balance extends BalanceDelta {
  readonly subject: string;
}

const NO_SPEND: Spend = { creditNanoUsd: 0n, byokNanoUsd: 0n };
const NO_RESERVE: Reserve = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };
const NO_WINDOW: WindowSpend = { start: 0, creditNanoUsd: 0n, byokNanoUsd: 0n };
const NO_WINDOWS: BalanceDelta['windows'] = { daily: NO_WINDOW, weekly: NO_WINDOW, monthly: NO_WINDOW };

export function emptyBalance(subject: string): Balance {
  return { subject, topUpNanoUsd: 0n, total: NO_SPEND, windows: NO_WINDOWS, reserved: NO_RESERVE };
}

export function charge({ creditNanoUsd, byokNanoUsd }: Spend, at: number): BalanceDelta {
  return {
    topUpNanoUsd: 0n,
    total: { creditNanoUsd, byokNanoUsd },
    windows: {
      daily: { start: windowStart('daily', at), creditNanoUsd, byokNanoUsd },
      weekly: { start: windowStart('weekly', at), creditNanoUsd, byokNanoUsd },
      monthly: { start: windowStart('monthly', at), creditNanoUsd, byokNanoUsd },
    },
    reserved: NO_RESERVE,
  };
}

/** A charge of an unknown time, long before any window that may still count. */
export function pastCharge(total: Spend): BalanceDelta {
  return { topUpNanoUsd: 0n, total, windows: NO_WINDOWS, reserved: NO_RESERVE };
}

export function topUpDelta(amountNanoUsd: NanoUsd): BalanceDelta {
  return { topUpNanoUsd: amountNanoUsd, total: NO_SPEND, windows: NO_WINDOWS, reserved: NO_RESERVE };
}

export function reservation(reserve: Reserve): BalanceDelta {
  return { topUpNanoUsd: 0n, total: NO_SPEND, windows: NO_WINDOWS, reserved: reserve };
}

export function release({ creditNanoUsd, byokNanoUsd, sumNanoUsd }: Reserve): BalanceDelta {
  return reservation({
    creditNanoUsd: -creditNanoUsd,
    byokNanoUsd: -byokNanoUsd,
    sumNanoUsd: -sumNanoUsd,
  });
}

/** The balance with more reserved. */
export function withReserve(balance: Balance, reserve: Reserve): Balance {
  return {
    subject: balance.subject,
    topUpNanoUsd: balance.topUpNanoUsd,
    total: balance.total,
    windows: balance.windows,
    reserved: sumReserves(balance.reserved, reserve),
  };
}

/** The total of a window that is over is dropped when a newer one begins. */
export function applyDelta(balance: Balance, by: BalanceDelta): Balance {
  return {
    subject: balance.subject,
    topUpNanoUsd: balance.topUpNanoUsd + by.topUpNanoUsd,
    total: spendSum(balance.total, by.total),
    windows: newerWindows(balance.windows, by.windows),
    reserved: sumReserves(balance.reserved, by.reserved),
  };
}

/** Applying the sum has the same effect as applying both. */
export function sumDeltas(first: BalanceDelta, then: BalanceDelta): BalanceDelta {
  return {
    topUpNanoUsd: first.topUpNanoUsd + then.topUpNanoUsd,
    total: spendSum(first.total, then.total),
    windows: newerWindows(first.windows, then.windows),
    reserved: sumReserves(first.reserved, then.reserved),
  };
}

/**
 * Spent in the window that holds `at`, or with null since ever. When the clock lags behind, the newer window counts.
 */
export function spentWithin(balance: BalanceDelta, interval: Interval | null, at: number): Spend {
  return interval === null ? balance.total : spentSince(balance, interval, windowStart(interval, at));
}

/** Spent in the window that begins at `start`, or in a newer one. */
function spentSince({ windows }: BalanceDelta, interval: Interval, start: number): Spend {
  const window = windows[interval];
  return window.start >= start ? window : NO_WINDOW;
}

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

/**
 * The differences between two balances of a subject, for a person; empty when they are equal. Windows that began before
 * `since` (Unix milliseconds) are not compared.
 */
export function differences(stored: Balance, expected: Balance, since = 0): string[] {
  const compared = INTERVALS.filter(
    (interval) => Math.max(stored.windows[interval].start, expected.windows[interval].start) >= since,
  );
  const [found, wanted] = [namedValues(stored, compared), namedValues(expected, compared)];
  return Object.entries(wanted).flatMap(([name, value]) =>
    found[name] === value ? [] : [`${name} is ${found[name]} instead of ${value}`],
  );
}

function newerWindows(
  windows: BalanceDelta['windows'],
  by: BalanceDelta['windows'],
): BalanceDelta['windows'] {
  if (by === NO_WINDOWS) return windows;
  return {
    daily: newerWindow(windows.daily, by.daily),
    weekly: newerWindow(windows.weekly, by.weekly),
    monthly: newerWindow(windows.monthly, by.monthly),
  };
}

function newerWindow(window: WindowSpend, by: WindowSpend): WindowSpend {
  if (window.start !== by.start) return window.start > by.start ? window : by;
  return {
    start: window.start,
    creditNanoUsd: window.creditNanoUsd + by.creditNanoUsd,
    byokNanoUsd: window.byokNanoUsd + by.byokNanoUsd,
  };
}

function spendSum(a: Spend, b: Spend): Spend {
  if (b === NO_SPEND) return a;
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
  };
}

export function sumReserves(a: Reserve, b: Reserve): Reserve {
  if (b === NO_RESERVE) return a;
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
    sumNanoUsd: a.sumNanoUsd + b.sumNanoUsd,
  };
}

export function withoutReserve(a: Reserve, b: Reserve): Reserve {
  return {
    creditNanoUsd: a.creditNanoUsd - b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd - b.byokNanoUsd,
    sumNanoUsd: a.sumNanoUsd - b.sumNanoUsd,
  };
}

function namedValues(
  { topUpNanoUsd, total, windows, reserved }: Balance,
  intervals: readonly Interval[],
): Record<string, NanoUsd> {
  const all: Record<string, NanoUsd> = {
    'top-ups': topUpNanoUsd,
    'total credit': total.creditNanoUsd,
    'total BYOK': total.byokNanoUsd,
    'reserved credit': reserved.creditNanoUsd,
    'reserved BYOK': reserved.byokNanoUsd,
    'reserved sum': reserved.sumNanoUsd,
  };
  for (const interval of intervals) {
    all[`${interval} start`] = BigInt(windows[interval].start);
    all[`${interval} credit`] = windows[interval].creditNanoUsd;
    all[`${interval} BYOK`] = windows[interval].byokNanoUsd;
  }
  return all;
}

/** Both ends inclusive; null = unbounded. */
export interface Range {
  readonly min: NanoUsd | null;
  readonly max: NanoUsd | null;
}
