import { invalid, notFound } from '../base/problem.js';
import { type KeyQuery, scopeOf } from './api-key.js';
import type { KeyDependencies } from './create-key.js';
import { describeKey, describeKeys, type KeyRecord } from './key-record.js';
import { UNKNOWN_WORKSPACE } from './key-rules.js';
import type { ApiKeyPrincipal, KeyAdministrator } from './principal.js';

type ReadDependencies = Pick<KeyDependencies, 'store' | 'usage' | 'clock'>;

/** Throws 404 for a key outside of the caller's scope. */
export async function getKey(
  { store, usage, clock }: ReadDependencies,
  administrator: KeyAdministrator,
  hash: string,
): Promise<KeyRecord> {
  const key = await store.findKey(scopeOf(administrator), hash);
  if (key === undefined) throw notFound();
  return describeKey(usage, key, clock.now());
}

/** The key that made the request. */
export async function getCurrentKey(
  { store, usage, clock }: ReadDependencies,
  principal: ApiKeyPrincipal,
): Promise<KeyRecord> {
  const key = await store.findOwnKey(principal);
  if (key === undefined) throw notFound();
  return describeKey(usage, key, clock.now());
}

/** A page of the keys in the caller's scope. Throws a 400 Problem for a workspace that the account has never had. */
export async function listKeys(
  { store, usage, clock }: ReadDependencies,
  administrator: KeyAdministrator,
  query: KeyQuery,
): Promise<{ records: readonly KeyRecord[]; totalCount: number }> {
  const scope = scopeOf(administrator);
  if (query.workspaceId !== null && !(await store.hadWorkspace(scope.accountId, query.workspaceId))) {
    throw invalid([UNKNOWN_WORKSPACE]);
  }
  const { keys, totalCount } = await store.listKeys(scope, query);
  return { records: await describeKeys(usage, keys, clock.now()), totalCount };
}
