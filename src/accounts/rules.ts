/** Rules that the records of an account share. Every check returns all violations. */
import type { NanoUsd } from '../base/money.js';
import { patternViolation } from '../base/name-pattern.js';
import type { Violation } from '../base/problem.js';
import { checkName, MAX_LIMIT_NANO_USD } from '../identity/key-rules.js';

/** Names as the account gave them; null = no restriction. */
export type Names = readonly string[] | null;

/** A paragraph, not a document. */
const MAX_DESCRIPTION_LENGTH = 1000;

/** Entries of a restriction: more than there are providers, and most catalogues have models. */
const MAX_LISTED_NAMES = 1000;

/** Per call. */
const MAX_SUBJECTS = 100;

/** A description has at most 1000 characters; null = none. */
export function checkDescription(description: string | null): Violation[] {
  if (description === null || [...description].length <= MAX_DESCRIPTION_LENGTH) return [];
  const message = `must have at most ${MAX_DESCRIPTION_LENGTH} characters`;
  return [{ field: 'description', rule: 'length', message }];
}

/** A budget is more than 0 and at most 1e9 USD. */
export function checkBudgetUsd(limitNanoUsd: NanoUsd): Violation[] {
  if (limitNanoUsd > 0n && limitNanoUsd <= MAX_LIMIT_NANO_USD) return [];
  return [{ field: 'limit_usd', rule: 'range', message: 'must be more than 0 and at most 1000000000' }];
}

/** `from` must not be later than `to`. Both in Unix milliseconds; undefined = unbounded. */
export function orderViolations(from: number | undefined, to: number | undefined): Violation[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [{ field: 'from', rule: 'range', message: 'must not be later than to' }];
}

/** A restriction lists at most 1000 names of 1 to 255 characters; null = no restriction, empty = nothing matches. */
export function checkNames(field: string, names: readonly string[] | null): Violation[] {
  return checkEntries(field, names ?? [], MAX_LISTED_NAMES);
}

/** As `checkNames`, for names that may be prefixes (`openai/*`). */
export function checkPatterns(field: string, names: readonly string[] | null): Violation[] {
  const invalidPattern = [...(names ?? []).slice(0, MAX_LISTED_NAMES).entries()].flatMap(([index, entry]) => {
    const violation = entry === '' ? undefined : patternViolation(entry);
    return violation === undefined ? [] : [{ field: `${field}[${index}]`, ...violation }];
  });
  return [...checkNames(field, names), ...invalidPattern];
}

/** A call names 1 to 100 subjects, duplicates included, each of 1 to 255 characters. */
export function checkSubjects(field: string, subjects: readonly string[]): Violation[] {
  if (subjects.length === 0) return [{ field, rule: 'count', message: 'must have at least one entry' }];
  return checkEntries(field, subjects, MAX_SUBJECTS);
}

/** Entries beyond `max` are not checked. */
function checkEntries(field: string, entries: readonly string[], max: number): Violation[] {
  const tooMany =
    entries.length > max ? [{ field, rule: 'count', message: `must have at most ${max} entries` }] : [];
  const invalidEntry = entries
    .slice(0, max)
    .flatMap((entry, index) => checkName(`${field}[${index}]`, entry));
  return [...tooMany, ...invalidEntry];
}
