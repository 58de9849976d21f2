import { type NanoUsd, usdToNano } from '../../base/money.js';
import { invalid, type Violation } from '../../base/problem.js';

/** RFC 3339, as records show it and requests send it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** The instant that an RFC 3339 text names, in Unix milliseconds; undefined when it names none. */
export function parseInstant(text: string): number | undefined {
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) || !isCalendarDay(text.slice(0, 10)) ? undefined : instant;
}

/** `Date.parse` accepts the 31st of every month. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** The violation of a text that is no RFC 3339 timestamp; none for a text that was not sent. */
export function instantViolations(field: string, text: string | undefined): Violation[] {
  if (text === undefined || parseInstant(text) !== undefined) return [];
  return [{ field, rule: 'timestamp', message: 'must be an RFC 3339 timestamp' }];
}

/** The instant in Unix milliseconds. Throws a 400 Problem for a text that is not RFC 3339. */
export function instantOf(field: string, text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw invalid(instantViolations(field, text));
  return instant;
}

/** Throws a 400 Problem for more decimals than nano-USD have. */
export function nanoOf(field: string, usd: number): NanoUsd {
  const nano = usdToNano(usd);
  if (nano === undefined)
    throw invalid([{ field, rule: 'decimals', message: 'must have at most 9 decimals' }]);
  return nano;
}
