import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, notFound } from '../base/problem.js';
import { checkName } from './key-rules.js';
import { type MintedSecret, mintSecret } from './secret.js';

/** A key that administers an account (interface section 2). Its secret is stored nowhere. */
export interface ManagementKey {
  /** SHA-256 of the secret: the key's identifier. */
  readonly hash: string;
  readonly accountId: string;
  readonly name: string;
  readonly label: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Keeps management keys. Every method is one transaction; revoked keys are reached by none. */
export interface ManagementKeyStore {
  /** false when there is no such account. */
  addManagementKey(key: ManagementKey): Promise<boolean>;
  /** The account's keys by `createdAt`, then hash. */
  listManagementKeys(accountId: string): Promise<readonly ManagementKey[]>;
  /** false when there was no such key. */
  revokeManagementKey(accountId: string, hash: string, nowMs: number): Promise<boolean>;
}

/** What the management key operations work with. */
export interface ManagementKeyDependencies {
  readonly store: ManagementKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The key that the secret opens, which nobody has stored yet. Throws a 400 Problem for a bad name. */
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

/** Creates a management key; `secret` is shown this once. Throws 404 for an unknown account, 400 for a bad name. */
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

/** Ends a management key for good. Throws 404 when the account has no such key. */
export async function revokeManagementKey(
  { store, clock }: Pick<ManagementKeyDependencies, 'store' | 'clock'>,
  accountId: string,
  hash: string,
): Promise<void> {
  if (!(await store.revokeManagementKey(accountId, hash, clock.now()))) throw notFound();
}
