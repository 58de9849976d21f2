/** Rules that the records of an account share. Every check answers with all that is broken. */
import type { NanoUsd } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import { checkName, MAX_LIMIT_NANO_USD } from '../../identity/key-rules.js';

/** Characters of a description; a paragraph, not a document. */
const DESCRIPTION_LENGTH = 1000;

/** Entries that a restriction may list: more than there are providers, and most catalogues have models. */
const LISTED_NAMES = 1000;

/** Subjects that one call may name (interface section 4). */
const NAMED_AT_ONCE = 100;

/** A description has at most 1000 characters; null = none. */
export function checkDescription(description: string | null): Violation[] {
  if (description === null || [...description].length <= DESCRIPTION_LENGTH) return [];
  const message = `must have at most ${DESCRIPTION_LENGTH} characters`;
  return [{ field: 'description', rule: 'length', message }];
}

/** A budget is more than 0 and at most 1e9 USD. */
export function checkBudgetUsd(limitNanoUsd: NanoUsd): Violation[] {
  if (limitNanoUsd > 0n && limitNanoUsd <= MAX_LIMIT_NANO_USD) return [];
  return [{ field: 'limit_usd', rule: 'range', message: 'must be more than 0 and at most 1000000000' }];
}

/** A window does not end before it begins; undefined = open at that end. Both in Unix milliseconds. */
export function orderViolations(from: number | undefined, to: number | undefined): Violation[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [{ field: 'from', rule: 'range', message: 'must not be later than to' }];
}

/** A restriction lists at most 1000 names of 1 to 255 characters; null = no restriction, empty = nothing matches. */
export function checkNames(field: string, names: readonly string[] | null): Violation[] {
  return checkEntries(field, names ?? [], LISTED_NAMES);
}

/** A call names 1 to 100 subjects, each of 1 to 255 characters. The bound counts what was sent. */
export function checkSubjects(field: string, subjects: readonly string[]): Violation[] {
  if (subjects.length === 0) return [{ field, rule: 'count', message: 'must have at least one entry' }];
  return checkEntries(field, subjects, NAMED_AT_ONCE);
}

/** Entries beyond the bound are not looked at. */
function checkEntries(field: string, entries: readonly string[], max: number): Violation[] {
  const tooMany =
    entries.length > max ? [{ field, rule: 'count', message: `must have at most ${max} entries` }] : [];
  const invalidEntry = entries
    .slice(0, max)
    .flatMap((entry, index) => checkName(`${field}[${index}]`, entry));
  return [...tooMany, ...invalidEntry];
}
