import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, notFound } from '../base/problem.js';
import { checkName } from './key-rules.js';
import { type MintedSecret, mintSecret } from './secret.js';

/** A key that administers an account. */
export interface ManagementKey {
  /** SHA-256 of the secret: the key's identifier. The secret is not stored. */
  readonly hash: string;
  readonly accountId: string;
  readonly name: string;
  readonly label: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Every method is one transaction and ignores revoked keys. */
export interface ManagementKeyStore {
  /** false when there is no such account. */
  addManagementKey(key: ManagementKey): Promise<boolean>;
  /** The account's keys by `createdAt`, then hash. */
  listManagementKeys(accountId: string): Promise<readonly ManagementKey[]>;
  /** false when there was no such key. */
  revokeManagementKey(accountId: string, hash: string, nowMs: number): Promise<boolean>;
}

export interface ManagementKeyDependencies {
  readonly store: ManagementKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Does not store the key. Throws a 400 Problem for an invalid name. */
export function newManagementKey(
  accountId: string,
  name: string,
  { hash, label }: MintedSecret,
  nowMs: number,
): ManagementKey {
  const violations = checkName('name', name);
  if (violations.length > 0) throw invalid(violations);
  return { hash, accountId, name, label, createdAt: nowMs };
}

/** `secret` is shown only once. Throws 404 for an unknown account, 400 for an invalid name. */
export async function createManagementKey(
  { store, clock, ids }: ManagementKeyDependencies,
  accountId: string,
  name: string,
): Promise<{ key: ManagementKey; secret: string }> {
  const secret = mintSecret('management_key', ids);
  const key = newManagementKey(accountId, name, secret, clock.now());
  if (!(await store.addManagementKey(key))) throw notFound();
  return { key, secret: secret.text };
}

/** Throws 404 when the account has no such key. */
export async function revokeManagementKey(
  { store, clock }: Pick<ManagementKeyDependencies, 'store' | 'clock'>,
  accountId: string,
  hash: string,
): Promise<void> {
  if (!(await store.revokeManagementKey(accountId, hash, clock.now()))) throw notFound();
}
