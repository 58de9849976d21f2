/**
 * What was spent in the newest window of each interval and in the one before it: the two newest that anything was
 * charged in. A window is kept until two newer ones have begun, so that charges may come in any order, from requests
 * that began in the window before and from processes whose clocks differ. Pure; the order of charges changes nothing.
 */
import type { NanoUsd } from '../../base/money.js';
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

/** `since`: windows that begin at an instant or later; `exactly`: the one that begins there. */
export type Counted = 'since' | 'exactly';

/** Spent in the windows that count; nothing in one that is not kept any more. */
export function spentIn(recent: RecentWindows, interval: Interval, start: number, counted: Counted): Spend {
  return counted === 'since'
    ? spentSince(recent, interval, start)
    : (windowAt(recent, interval, start) ?? NO_WINDOW);
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

/** A window of a balance, or the one that is added to it. */
export type MergedWindow = 'newest' | 'previous' | 'added';

/** What the windows become: sums of windows that begin at one instant. */
interface MergedWindows {
  readonly newest: readonly MergedWindow[];
  readonly previous: readonly MergedWindow[];
}

interface MergeRule extends MergedWindows {
  /** How the start of one of the windows must compare with that of the added one. */
  readonly when: readonly ['newest' | 'previous', '=' | '<'];
}

/**
 * What the two windows of an interval become when one is added to them, by the first rule that holds: the two newest.
 * Additions in memory and in the database (`src/store/ledger/balance-sql.ts`) are made of it.
 */
export const MERGE_RULES: readonly MergeRule[] = [
  { when: ['newest', '='], newest: ['newest', 'added'], previous: ['previous'] },
  { when: ['newest', '<'], newest: ['added'], previous: ['newest'] },
  { when: ['previous', '='], newest: ['newest'], previous: ['previous', 'added'] },
  { when: ['previous', '<'], newest: ['newest'], previous: ['added'] },
];

/** Where none holds: a window that is older than both is not kept. */
export const NOT_MERGED: MergedWindows = { newest: ['newest'], previous: ['previous'] };

type NewestTwo = readonly [WindowSpend, WindowSpend];

function merged(a: RecentWindows, b: RecentWindows, interval: Interval): NewestTwo {
  const two = withWindow([a.windows[interval], a.previous[interval]], b.windows[interval]);
  return b.previous === NO_WINDOWS ? two : withWindow(two, b.previous[interval]);
}

function withWindow([newest, previous]: NewestTwo, added: WindowSpend): NewestTwo {
  const windows = { newest, previous, added };
  const holds = ({ when: [window, starts] }: MergeRule) =>
    starts === '=' ? windows[window].start === added.start : windows[window].start < added.start;
  const become: MergedWindows = MERGE_RULES.find(holds) ?? NOT_MERGED;
  return [sumOf(become.newest, windows), sumOf(become.previous, windows)];
}

/** A window alone stays the same object. */
function sumOf(
  names: readonly MergedWindow[],
  windows: Readonly<Record<MergedWindow, WindowSpend>>,
): WindowSpend {
  return names.map((name) => windows[name]).reduce(summed);
}

function summed(window: WindowSpend, other: Spend): WindowSpend {
  return {
    start: window.start,
    creditNanoUsd: window.creditNanoUsd + other.creditNanoUsd,
    byokNanoUsd: window.byokNanoUsd + other.byokNanoUsd,
  };
}
