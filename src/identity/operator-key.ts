import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, Problem } from '../base/problem.js';
import { checkName } from './key-rules.js';
import { type MintedSecret, mintSecret } from './secret.js';

/** A key of an operator of the gateway; it belongs to no account. */
export interface OperatorKey {
  /** SHA-256 of the secret: the key's identifier. The secret is not stored. */
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Every method is one transaction and ignores revoked keys. */
export interface OperatorKeyStore {
  addOperatorKey(key: OperatorKey): Promise<void>;
  /** By `createdAt`, then hash. */
  listOperatorKeys(): Promise<readonly OperatorKey[]>;
  /** false when there was no such key. */
  revokeOperatorKey(hash: string, nowMs: number): Promise<boolean>;
}

export interface OperatorKeyDependencies {
  readonly store: OperatorKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Does not store the key. Throws a 400 Problem for an invalid name. */
export function newOperatorKey(name: string, { hash, label }: MintedSecret, nowMs: number): OperatorKey {
  const violations = checkName('name', name);
  if (violations.length > 0) throw invalid(violations);
  return { hash, name, label, createdAt: nowMs };
}

/** `secret` is shown only once. Throws a 400 Problem for an invalid name. */
export async function createOperatorKey(
  { store, clock, ids }: OperatorKeyDependencies,
  name: string,
): Promise<{ key: OperatorKey; secret: string }> {
  const secret = mintSecret('operator_key', ids);
  const key = newOperatorKey(name, secret, clock.now());
  await store.addOperatorKey(key);
  return { key, secret: secret.text };
}

/** Throws a 404 Problem that names the hash when there is no such key. */
export async function revokeOperatorKey(
  { store, clock }: Pick<OperatorKeyDependencies, 'store' | 'clock'>,
  hash: string,
): Promise<void> {
  if (await store.revokeOperatorKey(hash, clock.now())) return;
  throw new Problem('not_found', `there is no operator key ${hash}`);
}
