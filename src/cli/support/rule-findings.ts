/** Rules of all accounts that have no effect with a catalogue: docs/routing.md#warnings. */
import { createKnownNames, type KnownNames } from '../../accounts/known-names.js';
import { guardrailWarnings, preferenceWarnings } from '../../accounts/policy/rule-warnings.js';
import type { Violation } from '../../base/problem.js';
import type { ByokKey } from '../../byok/types.js';
import { filterWarnings, modelWarnings } from '../../byok/warnings/filter-warnings.js';
import { type Catalog, createCatalog } from '../../catalog/assembled/catalog.js';
import type { CatalogStore } from '../../catalog/assembled/store.js';
import type { CatalogFile } from '../../catalog/input/catalog-file.js';
import { createByokStore } from '../../store/byok/byok-store.js';
import type { Database } from '../../store/database/database.js';
import { readStoredRules, type StoredRules } from '../../store/maintenance/stored-rules.js';

/** A warning about a record of an account. */
export interface RuleFinding extends Violation {
  readonly account_id: string;
  /** `guardrail ID`, `preferences` or `BYOK key ID`. */
  readonly record: string;
}

/** Findings about the rules by the catalogue and the known names; for keys, about their models alone. */
function findingsWith(rules: StoredRules, catalog: Catalog, known: KnownNames): RuleFinding[] {
  return [
    ...rules.guardrails.flatMap((one) =>
      found(one.accountId, `guardrail ${one.id}`, guardrailWarnings(one, catalog, known)),
    ),
    ...rules.preferences.flatMap(({ accountId, preferences }) =>
      found(accountId, 'preferences', preferenceWarnings(preferences, known)),
    ),
    ...rules.keys.flatMap((key) => found(key.accountId, `BYOK key ${key.id}`, modelWarnings(key, catalog))),
  ];
}

interface Stored {
  readonly database: Database;
  readonly stores: { readonly catalog: Pick<CatalogStore, 'load'> };
}

/**
 * Changes the stored catalogue by `change`. Returns its result, and the entries of rules that named something before and name
 * nothing now.
 */
export async function namingVoided<T>(
  { database, stores }: Stored,
  hostRegions: Iterable<string>,
  change: () => Promise<T>,
): Promise<readonly [result: T, voided: readonly RuleFinding[]]> {
  const namesOf = createKnownNames(hostRegions);
  const current = async () => {
    const catalog = createCatalog(await stores.catalog.load(), 1);
    return [catalog, namesOf(catalog)] as const;
  };
  const before = await current();
  const result = await change();
  const rules = await readStoredRules(database);
  const keyOf = ({ account_id, record, field }: RuleFinding) => `${account_id} ${record} ${field}`;
  const had = new Set(findingsWith(rules, ...before).map(keyOf));
  const after = await current();
  return [result, findingsWith(rules, ...after).filter((one) => !had.has(keyOf(one)))];
}

/** A line for each rule that has no effect now, API keys and members in filters included. */
export async function voidRules(
  database: Database,
  file: CatalogFile,
  hostRegions: Iterable<string>,
  now: number,
): Promise<readonly string[]> {
  const catalog = createCatalog(file, 1);
  const rules = await readStoredRules(database);
  const findings = findingsWith({ ...rules, keys: [] }, catalog, createKnownNames(hostRegions)(catalog));
  const store = createByokStore(database);
  for (const [accountId, keys] of byAccount(rules.keys)) {
    const warnings = await filterWarnings(store, accountId, keys, catalog, now);
    keys.forEach(({ id }, index) => {
      findings.push(...found(accountId, `BYOK key ${id}`, warnings[index] ?? []));
    });
  }
  return findingLines(findings);
}

function byAccount(keys: readonly ByokKey[]): ReadonlyMap<string, ByokKey[]> {
  const accounts = new Map<string, ByokKey[]>();
  for (const key of keys) accounts.set(key.accountId, [...(accounts.get(key.accountId) ?? []), key]);
  return accounts;
}

/** More lines nobody reads. */
const MAX_LINES = 100;

export function findingLines(findings: readonly RuleFinding[]): string[] {
  const lines = findings
    .slice(0, MAX_LINES)
    .map(({ account_id, record, field, message }) => `account ${account_id}, ${record}: ${field} ${message}`);
  const left = findings.length - lines.length;
  return left === 0 ? lines : [...lines, `and ${left} more`];
}

function found(account_id: string, record: string, warnings: readonly Violation[]): RuleFinding[] {
  return warnings.map((warning) => ({ account_id, record, ...warning }));
}
