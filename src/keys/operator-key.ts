import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid, Problem } from '../base/problem.js';
import { checkName } from './key-rules.js';
import { mintSecret } from './secret.js';

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
export interface OperatorKeyParts {
  readonly store: OperatorKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Creates an operator key; `secret` is shown this once. Throws a 400 Problem for a bad name. */
export async function createOperatorKey(
  { store, clock, ids }: OperatorKeyParts,
  name: string,
): Promise<{ key: OperatorKey; secret: string }> {
  const violations = checkName('name', name);
  if (violations.length > 0) throw invalid(violations);
  const { text, hash, label } = mintSecret('operator_key', ids);
  const key = { hash, name, label, createdAt: clock.now() };
  await store.addOperatorKey(key);
  return { key, secret: text };
}

/** Ends an operator key for good. Throws a 404 Problem that names the hash when there is no such key. */
export async function revokeOperatorKey(
  { store, clock }: Pick<OperatorKeyParts, 'store' | 'clock'>,
  hash: string,
): Promise<void> {
  if (await store.revokeOperatorKey(hash, clock.now())) return;
  throw new Problem('not_found', `there is no operator key ${hash}`);
}
