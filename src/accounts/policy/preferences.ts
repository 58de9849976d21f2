import { applyChange, applyRequired, type Change, mustNotBeNull, sent } from '../../base/change.js';
import { invalid, type Violation } from '../../base/problem.js';
import { deduplicate } from '../../base/text.js';
import { type KnownNames, unknownNameViolations } from '../known-names.js';
import type { Names } from '../rules.js';
import { checkPatterns } from '../rules.js';

/** Preferences of an account for all its requests. */
export interface Preferences {
  readonly allowedProviders: Names;
  readonly ignoredProviders: Names;
  readonly zdr: boolean;
  readonly dataCollection: 'allow' | 'deny' | null;
  /** How shared endpoints are sorted when a request does not say; null = by price. */
  readonly defaultSort: 'price' | 'throughput' | 'latency' | null;
}

/** The preferences of an account that has never set any. */
export const DEFAULT_PREFERENCES: Preferences = {
  allowedProviders: null,
  ignoredProviders: null,
  zdr: false,
  dataCollection: null,
  defaultSort: null,
};

/** Only `zdr` can't be cleared. */
export type PreferenceChanges = {
  readonly [Field in keyof Preferences]: Change<NonNullable<Preferences[Field]>>;
};

/** Every method is one transaction. */
export interface PreferenceStore {
  /** `DEFAULT_PREFERENCES` when nothing is stored. */
  findPreferences(accountId: string): Promise<Preferences>;
  /** Replaces the preferences by the result of `change`, with no other write in between. */
  updatePreferences(accountId: string, change: (current: Preferences) => Preferences): Promise<Preferences>;
}

export interface PreferenceDependencies {
  readonly store: PreferenceStore;
  readonly knownNames: () => Promise<KnownNames>;
}

/** Throws a 400 Problem that names every violation. */
export async function updatePreferences(
  { store, knownNames }: PreferenceDependencies,
  accountId: string,
  changes: PreferenceChanges,
): Promise<Preferences> {
  const violations = accountPreferenceViolations(changes, await knownNames());
  if (violations.length > 0) throw invalid(violations);
  return store.updatePreferences(accountId, (current) => ({
    allowedProviders: deduplicate(applyChange(changes.allowedProviders, current.allowedProviders)),
    ignoredProviders: deduplicate(applyChange(changes.ignoredProviders, current.ignoredProviders)),
    zdr: applyRequired(changes.zdr, current.zdr),
    dataCollection: applyChange(changes.dataCollection, current.dataCollection),
    defaultSort: applyChange(changes.defaultSort, current.defaultSort),
  }));
}

export function accountPreferenceViolations(changes: PreferenceChanges, known: KnownNames): Violation[] {
  const allowedProviders = sent(changes.allowedProviders) ?? null;
  const ignoredProviders = sent(changes.ignoredProviders) ?? null;
  return [
    ...checkPatterns('allowed_providers', allowedProviders),
    ...checkPatterns('ignored_providers', ignoredProviders),
    ...mustNotBeNull('zdr', changes.zdr),
    ...unknownNameViolations({ allowedProviders, ignoredProviders }, known),
  ];
}
