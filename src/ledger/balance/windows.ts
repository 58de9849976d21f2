import { DAY_MS } from '../../base/clock.js';

/** How often a limit or a budget resets, at midnight UTC. */
export const INTERVALS = ['daily', 'weekly', 'monthly'] as const;

export type Interval = (typeof INTERVALS)[number];

/** The start of the UTC day, the week from Monday, or the calendar month that contains `nowMs`; in Unix ms. */
export function windowStart(interval: Interval, nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS);
  switch (interval) {
    case 'daily':
      return day * DAY_MS;
    case 'weekly':
      return (day - modulo(day + DAYS_FROM_MONDAY_TO_EPOCH, 7)) * DAY_MS;
    case 'monthly':
      return (day + 1 - new Date(nowMs).getUTCDate()) * DAY_MS;
  }
}

/** How far a clock may be ahead before what it says is not believed: servers whose clocks are set agree far better. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** The latest instant that is believed at `nowMs`, so that no window begins later. Both in Unix ms. */
export function latestInstant(nowMs: number): number {
  return nowMs + CLOCK_TOLERANCE_MS;
}

/** The first instant after the window that contains `nowMs`: when a limit resets, in Unix ms. */
export function windowEnd(interval: Interval, nowMs: number): number {
  switch (interval) {
    case 'daily':
      return windowStart('daily', nowMs) + DAY_MS;
    case 'weekly':
      return windowStart('weekly', nowMs) + 7 * DAY_MS;
    case 'monthly':
      // 31 days after the first day of a month lie in the next month.
      return windowStart('monthly', windowStart('monthly', nowMs) + 31 * DAY_MS);
  }
}

/** The Unix epoch was a Thursday, three days after a Monday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
