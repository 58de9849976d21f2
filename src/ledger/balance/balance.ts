/**
 * Balances: the running totals of a subject, which always equal the sums of its ledger entries, and what is reserved
 * for its requests in flight. Pure: every operation returns a new value. What decisions depend on is in
 * `balance-values.ts`.
 */
import type { NanoUsd } from '../../base/money.js';
import {
  knowsPrevious,
  NO_RECENT_WINDOWS,
  type RecentWindows,
  type Spend,
  spentSince,
  sumWindows,
  type WindowSpend,
  windowAt,
  windowsOf,
} from './recent-windows.js';
import { INTERVALS, type Interval, windowStart } from './windows.js';

export type { Spend, WindowSpend } from './recent-windows.js';

/** The max cost of requests in flight. */
export interface Reserve extends Spend {
  /** Max cost of both together: below their sum when one request may be paid in either way. */
  readonly sumNanoUsd: NanoUsd;
}

/** A change of a balance. */
export interface BalanceDelta extends RecentWindows {
  /** Only accounts have top-ups. */
  readonly topUpNanoUsd: NanoUsd;
  readonly total: Spend;
  readonly reserved: Reserve;
}

/** The sum of all deltas of a subject. */
export interface Balance extends BalanceDelta {
  readonly subject: string;
}

const NO_SPEND: Spend = { creditNanoUsd: 0n, byokNanoUsd: 0n };
export const NO_RESERVE: Reserve = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };

export function emptyBalance(subject: string): Balance {
  return { subject, topUpNanoUsd: 0n, total: NO_SPEND, ...NO_RECENT_WINDOWS, reserved: NO_RESERVE };
}

export function charge(spend: Spend, at: number): BalanceDelta {
  const { windows, previous } = windowsOf(spend, at);
  const { creditNanoUsd, byokNanoUsd } = spend;
  return {
    topUpNanoUsd: 0n,
    total: { creditNanoUsd, byokNanoUsd },
    windows,
    previous,
    reserved: NO_RESERVE,
  };
}

/** A charge of an unknown time, long before any window that may still count. */
export function pastCharge(total: Spend): BalanceDelta {
  return { topUpNanoUsd: 0n, total, ...NO_RECENT_WINDOWS, reserved: NO_RESERVE };
}

export function topUpDelta(amountNanoUsd: NanoUsd): BalanceDelta {
  return { topUpNanoUsd: amountNanoUsd, total: NO_SPEND, ...NO_RECENT_WINDOWS, reserved: NO_RESERVE };
}

export function reservation(reserve: Reserve): BalanceDelta {
  return { topUpNanoUsd: 0n, total: NO_SPEND, ...NO_RECENT_WINDOWS, reserved: reserve };
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
    previous: balance.previous,
    reserved: sumReserves(balance.reserved, reserve),
  };
}

/** The balance as if no request were in flight, or one that has reserved this were not. */
export function withoutReserved(balance: Balance, reserve: Reserve = balance.reserved): Balance {
  return withReserve(balance, {
    creditNanoUsd: -reserve.creditNanoUsd,
    byokNanoUsd: -reserve.byokNanoUsd,
    sumNanoUsd: -reserve.sumNanoUsd,
  });
}

/** The order of deltas changes nothing: the two newest windows of all of them are kept. */
export function applyDelta(balance: Balance, by: BalanceDelta): Balance {
  const { windows, previous } = sumWindows(balance, by);
  return {
    subject: balance.subject,
    topUpNanoUsd: balance.topUpNanoUsd + by.topUpNanoUsd,
    total: spendSum(balance.total, by.total),
    windows,
    previous,
    reserved: sumReserves(balance.reserved, by.reserved),
  };
}

/** Applying the sum has the same effect as applying both. */
export function sumDeltas(first: BalanceDelta, then: BalanceDelta): BalanceDelta {
  const { windows, previous } = sumWindows(first, then);
  return {
    topUpNanoUsd: first.topUpNanoUsd + then.topUpNanoUsd,
    total: spendSum(first.total, then.total),
    windows,
    previous,
    reserved: sumReserves(first.reserved, then.reserved),
  };
}

/**
 * What was spent in the window that holds `at`; with null, since ever. Charges that a clock which is ahead has put
 * into a newer window count too, so that no limit is ever off.
 */
export function spentWithin(balance: BalanceDelta, interval: Interval | null, at: number): Spend {
  return interval === null ? balance.total : spentSince(balance, interval, windowStart(interval, at));
}

/** BYOK usage of the month that begins at `start`; undefined when its window is not kept any more. */
export function byokOfMonth(balance: BalanceDelta, start: number): NanoUsd | undefined {
  return windowAt(balance, 'monthly', start)?.byokNanoUsd;
}

/**
 * The differences between two balances of a subject, for a person; empty when they are equal. Not compared are windows
 * that began before `since` (Unix milliseconds), and windows before the newest where the newest differ or the stored
 * balance does not have them.
 */
export function differences(stored: Balance, expected: Balance, since = 0): string[] {
  const [found, wanted] = [namedValues(stored), namedValues(expected)];
  const isCompared = (recent: keyof RecentWindows, interval: Interval) =>
    Math.max(stored[recent][interval].start, expected[recent][interval].start) >= since;
  const hasSameNewest = (interval: Interval) =>
    stored.windows[interval].start === expected.windows[interval].start;
  const windows = INTERVALS.flatMap((interval) => [
    ...(isCompared('windows', interval) ? [interval] : []),
    ...(isCompared('previous', interval) && hasSameNewest(interval) && knowsPrevious(stored, interval)
      ? [`previous ${interval}`]
      : []),
  ]);
  return ['sums', ...windows].flatMap((part) =>
    Object.entries(wanted[part] ?? {}).flatMap(([name, value]) =>
      found[part]?.[name] === value ? [] : [`${name} is ${found[part]?.[name]} instead of ${value}`],
    ),
  );
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

/** What is added to a reserve so that it covers another one too, of which only one is used. */
export function raiseTo(reserved: Reserve, wanted: Reserve): Reserve {
  return {
    creditNanoUsd: missing(reserved.creditNanoUsd, wanted.creditNanoUsd),
    byokNanoUsd: missing(reserved.byokNanoUsd, wanted.byokNanoUsd),
    sumNanoUsd: missing(reserved.sumNanoUsd, wanted.sumNanoUsd),
  };
}

function missing(there: NanoUsd, wanted: NanoUsd): NanoUsd {
  return wanted > there ? wanted - there : 0n;
}

export function withoutReserve(a: Reserve, b: Reserve): Reserve {
  return {
    creditNanoUsd: a.creditNanoUsd - b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd - b.byokNanoUsd,
    sumNanoUsd: a.sumNanoUsd - b.sumNanoUsd,
  };
}

/** The sums and each window, by their names. */
function namedValues(balance: Balance): Record<string, Record<string, NanoUsd>> {
  const { topUpNanoUsd, total, windows, previous, reserved } = balance;
  const all: Record<string, Record<string, NanoUsd>> = {
    sums: {
      'top-ups': topUpNanoUsd,
      'total credit': total.creditNanoUsd,
      'total BYOK': total.byokNanoUsd,
      'reserved credit': reserved.creditNanoUsd,
      'reserved BYOK': reserved.byokNanoUsd,
      'reserved sum': reserved.sumNanoUsd,
    },
  };
  for (const interval of INTERVALS) {
    all[interval] = namedWindow(interval, windows[interval]);
    all[`previous ${interval}`] = namedWindow(`previous ${interval}`, previous[interval]);
  }
  return all;
}

function namedWindow(name: string, { start, creditNanoUsd, byokNanoUsd }: WindowSpend) {
  return {
    [`${name} start`]: BigInt(start),
    [`${name} credit`]: creditNanoUsd,
    [`${name} BYOK`]: byokNanoUsd,
  };
}
