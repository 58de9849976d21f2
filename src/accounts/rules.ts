/** Rules that the records of an account share. Every check answers with all that is broken. */
import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../base/change.js';
import type { NanoUsd } from '../base/money.js';
import type { Violation } from '../base/problem.js';
import { checkName } from '../keys/key-rules.js';

/** Characters of a description; a paragraph, not a document. */
const DESCRIPTION_LENGTH = 1000;

/** Entries that a restriction may list: more than there are providers, and most catalogues have models. */
const LISTED_NAMES = 1000;

/** Subjects that one call may name (interface section 4). */
const NAMED_AT_ONCE = 100;

/** 1e9 USD. */
const HIGHEST_AMOUNT_NANO_USD: NanoUsd = 10n ** 18n;

/** A description has at most 1000 characters; null = none. */
export function checkDescription(description: string | null): Violation[] {
  if (description === null || [...description].length <= DESCRIPTION_LENGTH) return [];
  const message = `must have at most ${DESCRIPTION_LENGTH} characters`;
  return [{ field: 'description', rule: 'length', message }];
}

/** A limit is 0 to 1e9 USD; null = none. */
export function checkLimitUsd(limitNanoUsd: NanoUsd | null): Violation[] {
  if (limitNanoUsd === null || (limitNanoUsd >= 0n && limitNanoUsd <= HIGHEST_AMOUNT_NANO_USD)) return [];
  return [{ field: 'limit_usd', rule: 'range', message: 'must be from 0 to 1000000000' }];
}

/** A budget is more than 0 and at most 1e9 USD. */
export function checkBudgetUsd(limitNanoUsd: NanoUsd): Violation[] {
  if (limitNanoUsd > 0n && limitNanoUsd <= HIGHEST_AMOUNT_NANO_USD) return [];
  return [{ field: 'limit_usd', rule: 'range', message: 'must be more than 0 and at most 1000000000' }];
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

/** A field that can't be empty. */
export function mustNotBeNull(field: string, change: Change<unknown>): Violation[] {
  return change.kind === 'clear' ? [{ field, rule: 'not_null', message: 'must not be null' }] : [];
}

/** The value that an update sets; undefined when it keeps or clears. */
export function sent<T>(change: Change<T>): T | undefined {
  return change.kind === 'set' ? change.value : undefined;
}

/** The names as they are stored: each once, in the order sent. */
export function collapse<T extends readonly string[] | null>(names: T): T | string[] {
  return names === null ? names : [...new Set(names)];
}

/** The record with other values. `updatedAt` moves with them; the same object when nothing becomes different. */
export function withFields<R extends { readonly updatedAt: number }>(
  current: R,
  fields: Partial<R>,
  now: number,
): R {
  const next = { ...current, ...fields };
  return isDeepStrictEqual(next, current) ? current : { ...next, updatedAt: now };
}

/** Entries beyond the bound are not looked at. */
function checkEntries(field: string, entries: readonly string[], most: number): Violation[] {
  const tooMany =
    entries.length > most ? [{ field, rule: 'count', message: `must have at most ${most} entries` }] : [];
  const faulty = entries.slice(0, most).flatMap((entry, index) => checkName(`${field}[${index}]`, entry));
  return [...tooMany, ...faulty];
}
