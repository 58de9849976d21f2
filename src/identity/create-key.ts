import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, notFound, Problem, type Violation } from '../base/problem.js';
import type { UsageReader } from '../ledger/usage.js';
import type { Interval } from '../ledger/windows.js';
import { type ApiKey, type KeyOwner, type KeyStore, scopeOf } from './api-key.js';
import { describeKey, type KeyRecord } from './key-record.js';
import { checkExpiry, checkLimit, checkName, UNKNOWN_WORKSPACE } from './key-rules.js';
import type { KeyAdministrator } from './principal.js';
import { mintSecret } from './secret.js';

/** What the key operations work with. */
export interface KeyDependencies {
  readonly store: KeyStore;
  readonly usage: UsageReader;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a caller says of a new key; null stands for what it leaves open. */
export interface NewKey {
  readonly name: string;
  readonly limitNanoUsd: NanoUsd | null;
  readonly limitReset: Interval | null;
  readonly includeByokInLimit: boolean;
  /** Unix milliseconds. */
  readonly expiresAt: number | null;
  /** null = the account's default workspace. */
  readonly workspaceId: string | null;
  /** null = the account's owner, or the member of the client that creates it. */
  readonly creatorUserId: string | null;
}

/**
 * Creates an API key. `secret` is its text, shown this once. Throws a 400 Problem that names every broken rule, 403 for
 * a client that names another member than its own, 404 when the account or the client is gone.
 */
export async function createKey(
  { store, usage, clock, ids }: KeyDependencies,
  administrator: KeyAdministrator,
  wanted: NewKey,
): Promise<{ record: KeyRecord; secret: string }> {
  const now = clock.now();
  const scope = scopeOf(administrator);
  const { text, hash, label } = mintSecret('api_key', ids);
  const key = await store.createKey(scope, wanted.workspaceId, (home): ApiKey => {
    const { workspaceId, ownerUserId } = checked(wanted, home, now);
    const memberUserId = administrator.kind === 'client' ? administrator.userId : ownerUserId;
    if (administrator.kind === 'client') requireOwnMember(wanted, memberUserId);
    return {
      ...scope,
      hash,
      label,
      workspaceId,
      creatorUserId: wanted.creatorUserId ?? memberUserId,
      name: wanted.name,
      disabled: false,
      limitNanoUsd: wanted.limitNanoUsd,
      limitReset: wanted.limitReset,
      includeByokInLimit: wanted.includeByokInLimit,
      expiresAt: wanted.expiresAt,
      createdAt: now,
      updatedAt: now,
    };
  });
  if (key === undefined) throw notFound();
  return { record: await describeKey(usage, key, now), secret: text };
}

/** The home with the workspace that it surely has. Throws a 400 Problem with all broken rules. */
function checked(wanted: NewKey, home: KeyOwner, now: number): KeyOwner & { workspaceId: string } {
  const violations: Violation[] = [
    ...checkName('name', wanted.name),
    ...checkLimit('limit', wanted.limitNanoUsd),
    ...checkExpiry(wanted.expiresAt, now),
  ];
  if (wanted.creatorUserId !== null) violations.push(...checkName('creator_user_id', wanted.creatorUserId));
  if (home.workspaceId === undefined) violations.push(UNKNOWN_WORKSPACE);
  if (home.workspaceId === undefined || violations.length > 0) throw invalid(violations);
  return { ...home, workspaceId: home.workspaceId };
}

/** Else a client could use the provider keys that another member's requests are let use. */
function requireOwnMember({ creatorUserId }: NewKey, userId: string): void {
  if (creatorUserId === null || creatorUserId === userId) return;
  throw new Problem('permission_denied', `The keys of this client belong to its own member, ${userId}`);
}
