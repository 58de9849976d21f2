import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, Problem } from '../base/problem.js';
import { checkName } from './key-rules.js';
import { type MintedSecret, mintSecret } from './secret.js';

/** A key of somebody who runs the gateway, of no account. Its secret is stored nowhere. */
export interface OperatorKey {
  /** SHA-256 of the secret: the key's identifier. */
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Keeps operator keys. Every method is one transaction; revoked keys are reached by none. */
export interface OperatorKeyStore {
  addOperatorKey(key: OperatorKey): Promise<void>;
  /** By `createdAt`, then hash. */
  listOperatorKeys(): Promise<readonly OperatorKey[]>;
  /** false when there was no such key. */
  revokeOperatorKey(hash: string, nowMs: number): Promise<boolean>;
}

/** What the operator key operations work with. */
export interface OperatorKeyDependencies {
  readonly store: OperatorKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The key that the secret opens, which nobody has stored yet. Throws a 400 Problem for a bad name. */
export function newOperatorKey(name: string, { hash, label }: MintedSecret, nowMs: number): OperatorKey {
  const violations = checkName('name', name);
  if (violations.length > 0) throw invalid(violations);
  return { hash, name, label, createdAt: nowMs };
}

/** Creates an operator key; `secret` is shown this once. Throws a 400 Problem for a bad name. */
export async function createOperatorKey(
  { store, clock, ids }: OperatorKeyDependencies,
  name: string,
): Promise<{ key: OperatorKey; secret: string }> {
  const secret = mintSecret('operator_key', ids);
  const key = newOperatorKey(name, secret, clock.now());
  await store.addOperatorKey(key);
  return { key, secret: secret.text };
}

/** Ends an operator key for good. Throws a 404 Problem that names the hash when there is no such key. */
export async function revokeOperatorKey(
  { store, clock }: Pick<OperatorKeyDependencies, 'store' | 'clock'>,
  hash: string,
): Promise<void> {
  if (await store.revokeOperatorKey(hash, clock.now())) return;
  throw new Problem('not_found', `there is no operator key ${hash}`);
}
