/** Rules for the filters of a key. Violations are named by field and position. */
import { patternViolation } from '../../base/name-pattern.js';
import type { Violation } from '../../base/problem.js';
import type { Filter } from '../types.js';

/** Limit of entries as sent, before duplicates collapse. */
const MAX_FILTER_ENTRIES = 100;

/** Limit of a model or user identifier. */
const MAX_FILTER_ENTRY_CHARACTERS = 256;

/** The filters as sent; null = no restriction, undefined = not sent. */
export interface SentFilters {
  readonly allowedModels: Filter | undefined;
  readonly allowedApiKeyHashes: Filter | undefined;
  readonly allowedUserIds: Filter | undefined;
}

const HASHES_FIELD = 'allowed_api_key_hashes';
const HASH = /^[0-9a-f]{64}$/;

/** All violations of form in the three filters. Entries beyond the hundredth are not checked. */
export function filterViolations(filters: SentFilters): Violation[] {
  return [
    ...listViolations('allowed_models', filters.allowedModels, modelViolation),
    ...listViolations(HASHES_FIELD, filters.allowedApiKeyHashes, hashViolation),
    ...(filters.allowedApiKeyHashes?.length === 0 ? [EMPTY_HASHES] : []),
    ...listViolations('allowed_user_ids', filters.allowedUserIds, nameViolation),
  ];
}

/** The hashes that can be looked up: well-formed, each once, no more than may be sent. */
export function hashesToResolve(hashes: Filter | undefined): string[] {
  return [...new Set((hashes ?? []).slice(0, MAX_FILTER_ENTRIES).filter((hash) => HASH.test(hash)))];
}

/** A violation for every well-formed hash that is not among the account's live API keys. */
export function unresolvedHashViolations(hashes: Filter | undefined, live: ReadonlySet<string>): Violation[] {
  return (hashes ?? []).slice(0, MAX_FILTER_ENTRIES).flatMap((hash, index) =>
    HASH.test(hash) && !live.has(hash)
      ? [
          {
            field: `${HASHES_FIELD}[${index}]`,
            rule: 'live',
            message: 'is not a live API key of this account',
          },
        ]
      : [],
  );
}

type EntryViolation = Omit<Violation, 'field'> | undefined;

function listViolations(
  field: string,
  filter: Filter | undefined,
  violationOf: (entry: string) => EntryViolation,
): Violation[] {
  const entries = filter ?? [];
  const tooMany: Violation[] =
    entries.length <= MAX_FILTER_ENTRIES
      ? []
      : [{ field, rule: 'count', message: `must have at most ${MAX_FILTER_ENTRIES} entries` }];
  const invalidEntry = entries.slice(0, MAX_FILTER_ENTRIES).flatMap((entry, index) => {
    const violation = violationOf(entry);
    return violation === undefined ? [] : [{ field: `${field}[${index}]`, ...violation }];
  });
  return [...tooMany, ...invalidEntry];
}

function nameViolation(entry: string): EntryViolation {
  const length = Array.from(entry).length;
  if (length >= 1 && length <= MAX_FILTER_ENTRY_CHARACTERS) return undefined;
  return { rule: 'length', message: `must have 1 to ${MAX_FILTER_ENTRY_CHARACTERS} characters` };
}

function modelViolation(entry: string): EntryViolation {
  return nameViolation(entry) ?? patternViolation(entry);
}

function hashViolation(entry: string): EntryViolation {
  return HASH.test(entry)
    ? undefined
    : { rule: 'pattern', message: 'must be exactly 64 lower-case hexadecimal characters' };
}

const EMPTY_HASHES: Violation = {
  field: HASHES_FIELD,
  rule: 'count',
  message: 'must have at least one entry; null lifts the restriction',
};
