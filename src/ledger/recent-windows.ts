/**
 * What was spent in the newest window of each interval and in the one before it: the two newest that anything was
 * charged in. A window is kept until two newer ones have begun, so that charges may come in any order, from requests
 * that began in the window before and from processes whose clocks differ. Pure; the order of charges changes nothing.
 */
import type { NanoUsd } from '../base/money.js';
import { INTERVALS, type Interval, windowStart } from './windows.js';

/** `credit` is charged to credits, fees included; `byok` is the list price of BYOK usage. */
export interface Spend {
  readonly creditNanoUsd: NanoUsd;
  readonly byokNanoUsd: NanoUsd;
}

/** What was spent in the window that begins at `start` (Unix milliseconds). */
export interface WindowSpend extends Spend {
  readonly start: number;
}

export type Windows = Readonly<Record<Interval, WindowSpend>>;

export interface RecentWindows {
  /** The newest one that anything was charged in. */
  readonly windows: Windows;
  /** The newest one before it. */
  readonly previous: Windows;
}

const NO_WINDOW: WindowSpend = { start: 0, creditNanoUsd: 0n, byokNanoUsd: 0n };
const NO_WINDOWS: Windows = { daily: NO_WINDOW, weekly: NO_WINDOW, monthly: NO_WINDOW };

export const NO_RECENT_WINDOWS: RecentWindows = { windows: NO_WINDOWS, previous: NO_WINDOWS };

/** The windows of a charge at the instant `at` (Unix milliseconds). */
export function windowsOf({ creditNanoUsd, byokNanoUsd }: Spend, at: number): RecentWindows {
  return {
    windows: {
      daily: { start: windowStart('daily', at), creditNanoUsd, byokNanoUsd },
      weekly: { start: windowStart('weekly', at), creditNanoUsd, byokNanoUsd },
      monthly: { start: windowStart('monthly', at), creditNanoUsd, byokNanoUsd },
    },
    previous: NO_WINDOWS,
  };
}

/** Whether all charges are of the newest windows. */
export function hasNewestOnly({ previous }: RecentWindows): boolean {
  return previous === NO_WINDOWS || INTERVALS.every((interval) => previous[interval].start <= 0);
}

/**
 * The start of `previous` in a balance that does not know what was charged before its newest window: no window begins
 * there, and none that is older takes its place.
 */
export function unknownBefore(newestStart: number): number {
  return newestStart - 1;
}

export function knowsPrevious({ windows, previous }: RecentWindows, interval: Interval): boolean {
  return previous[interval].start !== unknownBefore(windows[interval].start);
}

/** Spent in all windows that begin at `start` or later: those of clocks that are ahead count as well. */
export function spentSince({ windows, previous }: RecentWindows, interval: Interval, start: number): Spend {
  const [newest, before] = [windows[interval], previous[interval]];
  if (newest.start < start) return NO_WINDOW;
  return before.start < start || before.start <= 0 ? newest : summed(newest, before);
}

/** What was spent in exactly the window that begins at `start`; undefined for one that is not kept any more. */
export function windowAt(
  { windows, previous }: RecentWindows,
  interval: Interval,
  start: number,
): WindowSpend | undefined {
  const [newest, before] = [windows[interval], previous[interval]];
  if (newest.start === start) return newest;
  if (before.start === start) return before;
  return before.start < start ? { ...NO_WINDOW, start } : undefined;
}

/** The two newest windows of both. */
export function sumWindows(a: RecentWindows, b: RecentWindows): RecentWindows {
  if (b.windows === NO_WINDOWS && b.previous === NO_WINDOWS) return a;
  const [daily, weekly, monthly] = [merged(a, b, 'daily'), merged(a, b, 'weekly'), merged(a, b, 'monthly')];
  return {
    windows: { daily: daily[0], weekly: weekly[0], monthly: monthly[0] },
    previous:
      daily[1] === a.previous.daily && weekly[1] === a.previous.weekly && monthly[1] === a.previous.monthly
        ? a.previous
        : { daily: daily[1], weekly: weekly[1], monthly: monthly[1] },
  };
}

type NewestTwo = readonly [WindowSpend, WindowSpend];

function merged(a: RecentWindows, b: RecentWindows, interval: Interval): NewestTwo {
  const [newest, before] = [a.windows[interval], a.previous[interval]];
  const [added, addedBefore] = [b.windows[interval], b.previous[interval]];
  // Nearly always: another charge in the newest window.
  if (newest.start === added.start && addedBefore === NO_WINDOW) return [summed(newest, added), before];
  return newestTwo([newest, before, added, addedBefore]);
}

function newestTwo(all: readonly WindowSpend[]): NewestTwo {
  const starts = [...new Set(all.map(({ start }) => start))].sort((one, other) => other - one);
  const [newest, before] = starts.map((start) =>
    all.filter((window) => window.start === start).reduce(summed),
  );
  return [newest ?? NO_WINDOW, before ?? NO_WINDOW];
}

function summed(window: WindowSpend, other: Spend): WindowSpend {
  return {
    start: window.start,
    creditNanoUsd: window.creditNanoUsd + other.creditNanoUsd,
    byokNanoUsd: window.byokNanoUsd + other.byokNanoUsd,
  };
}
