/** The calendar by counting days (Gregorian, UTC), independent of `Date` and of `src/ledger/balance/windows.ts`. */

const DAY_MS = 86_400_000;

/** Window of a limit; null = never resets. */
export type Window = 'daily' | 'weekly' | 'monthly' | null;

/** Days since 1970-01-01. */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS);
}

/** Monday is 0; 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Minutes since midnight. */
export function minuteOf(instantMs: number): number {
  return Math.floor((instantMs - dayOf(instantMs) * DAY_MS) / 60_000);
}

/** The months since year 0. */
export function monthOf(day: number): number {
  let rest = day;
  let year = 1970;
  while (rest >= daysOfYear(year)) rest -= daysOfYear(year++);
  let month = 0;
  while (rest >= daysOfMonth(year, month)) rest -= daysOfMonth(year, month++);
  return year * 12 + month;
}

/** The inverse of `monthOf`: the first day of the month. */
export function firstDayOf(month: number): number {
  let day = 0;
  const [year, monthOfYear] = [Math.floor(month / 12), month % 12];
  for (let before = 1970; before < year; before++) day += daysOfYear(before);
  for (let before = 0; before < monthOfYear; before++) day += daysOfMonth(year, before);
  return day;
}

/** Whether `day` is in the window that contains `now`. */
export function isWithin(window: Window, day: number, now: number): boolean {
  if (window === null) return true;
  if (window === 'daily') return day === now;
  if (window === 'weekly') return day - weekdayOf(day) === now - weekdayOf(now);
  return monthOf(day) === monthOf(now);
}

/** YYYY-MM-DD. */
export function dateOf(day: number): string {
  const month = monthOf(day);
  const parts = [Math.floor(month / 12), (month % 12) + 1, day - firstDayOf(month) + 1];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

function daysOfYear(year: number): number {
  return isLeap(year) ? 366 : 365;
}

function daysOfMonth(year: number, month: number): number {
  if (month === 1) return isLeap(year) ? 29 : 28;
  return [3, 5, 8, 10].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
