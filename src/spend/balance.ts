/**
 * Running totals of one subject, kept beside the ledger and always equal to its sums, and what requests under way
 * may come to add (interface section 5). Pure: every act gives a new balance.
 */
import type { NanoUsd } from '../base/money.js';
import { INTERVALS, type Interval, windowStart } from './windows.js';

/** An amount by how it is paid: `credit` is charged to credits, fees among it; `byok` is list price over BYOK keys. */
export interface Spend {
  readonly creditNanoUsd: NanoUsd;
  readonly byokNanoUsd: NanoUsd;
}

/** The most that requests under way may cost. */
export interface Reserve extends Spend {
  /** The most of both together, where one request is paid the one way or the other. */
  readonly sumNanoUsd: NanoUsd;
}

/** What was spent in the window that begins at `start` (Unix milliseconds). */
export interface WindowSpend extends Spend {
  readonly start: number;
}

/** The totals of a subject. A window is the newest one that anything was charged in. */
export interface Balance {
  readonly subject: string;
  /** Credits that were given; accounts alone have any. */
  readonly topUpNanoUsd: NanoUsd;
  readonly total: Spend;
  readonly windows: Readonly<Record<Interval, WindowSpend>>;
  readonly reserved: Reserve;
}

/** Nothing, in each way. */
const NO_RESERVE: Reserve = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };

const NO_WINDOW: WindowSpend = { start: 0, creditNanoUsd: 0n, byokNanoUsd: 0n };

/** The balance of a subject that nothing was charged to yet. */
export function emptyBalance(subject: string): Balance {
  return {
    subject,
    topUpNanoUsd: 0n,
    total: { creditNanoUsd: 0n, byokNanoUsd: 0n },
    windows: { daily: NO_WINDOW, weekly: NO_WINDOW, monthly: NO_WINDOW },
    reserved: NO_RESERVE,
  };
}

/** What counts at the instant: of the interval's window, or null for ever. A clock that lags finds the newer window. */
export function spentWithin({ total, windows }: Balance, interval: Interval | null, at: number): Spend {
  if (interval === null) return total;
  const window = windows[interval];
  return window.start >= windowStart(interval, at) ? window : NO_WINDOW;
}

/** The balance with a charge of that instant; of a window that is over only the total tells. */
export function charged(balance: Balance, spend: Spend, at: number): Balance {
  const { daily, weekly, monthly } = balance.windows;
  return {
    ...balance,
    total: sum(balance.total, spend),
    windows: {
      daily: chargedWindow(daily, spend, windowStart('daily', at)),
      weekly: chargedWindow(weekly, spend, windowStart('weekly', at)),
      monthly: chargedWindow(monthly, spend, windowStart('monthly', at)),
    },
  };
}

/** The balance with credits that are given. */
export function toppedUp(balance: Balance, amountNanoUsd: NanoUsd): Balance {
  return { ...balance, topUpNanoUsd: balance.topUpNanoUsd + amountNanoUsd };
}

/** The balance with a further reservation. */
export function reserved(balance: Balance, reserve: Reserve): Balance {
  return { ...balance, reserved: reserveSum(balance.reserved, reserve) };
}

/** The balance without a reservation that is in it. */
export function released(balance: Balance, { creditNanoUsd, byokNanoUsd, sumNanoUsd }: Reserve): Balance {
  const less = { creditNanoUsd: -creditNanoUsd, byokNanoUsd: -byokNanoUsd, sumNanoUsd: -sumNanoUsd };
  return { ...balance, reserved: reserveSum(balance.reserved, less) };
}

/** Both reservations together. */
function reserveSum(a: Reserve, b: Reserve): Reserve {
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
    sumNanoUsd: a.sumNanoUsd + b.sumNanoUsd,
  };
}

/** Where two balances of a subject differ, in words; empty when they are the same. */
export function differences(stored: Balance, expected: Balance): string[] {
  const [found, wanted] = [figures(stored), figures(expected)];
  return Object.entries(wanted).flatMap(([name, value]) =>
    found[name] === value ? [] : [`${name} is ${found[name]} instead of ${value}`],
  );
}

function figures({ topUpNanoUsd, total, windows, reserved }: Balance): Record<string, NanoUsd> {
  const all: Record<string, NanoUsd> = {
    'top-ups': topUpNanoUsd,
    'total credit': total.creditNanoUsd,
    'total BYOK': total.byokNanoUsd,
    'reserved credit': reserved.creditNanoUsd,
    'reserved BYOK': reserved.byokNanoUsd,
    'reserved sum': reserved.sumNanoUsd,
  };
  for (const interval of INTERVALS) {
    all[`${interval} start`] = BigInt(windows[interval].start);
    all[`${interval} credit`] = windows[interval].creditNanoUsd;
    all[`${interval} BYOK`] = windows[interval].byokNanoUsd;
  }
  return all;
}

function chargedWindow(window: WindowSpend, spend: Spend, start: number): WindowSpend {
  if (window.start > start) return window;
  return { start, ...(window.start === start ? sum(window, spend) : sum(NO_WINDOW, spend)) };
}

function sum(a: Spend, b: Spend): Spend {
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
  };
}
