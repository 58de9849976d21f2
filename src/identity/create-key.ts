import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { NanoUsd } from '../base/money.js';
import { invalid, notFound, Problem, type Violation } from '../base/problem.js';
import type { Interval } from '../ledger/balance/windows.js';
import type { UsageReader } from '../ledger/usage.js';
import { type ApiKey, type KeyOwner, type KeyStore, scopeOf } from './api-key.js';
import { describeKey, type KeyRecord } from './key-record.js';
import { checkCacheTtl, checkExpiry, checkLimit, checkName, UNKNOWN_WORKSPACE } from './key-rules.js';
import type { KeyAdministrator } from './principal.js';
import { mintSecret } from './secret.js';

export interface KeyDependencies {
  readonly store: KeyStore;
  readonly usage: UsageReader;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface NewKey {
  readonly name: string;
  readonly limitNanoUsd: NanoUsd | null;
  readonly limitReset: Interval | null;
  readonly includeByokInLimit: boolean;
  readonly endUserLimitNanoUsd: NanoUsd | null;
  readonly endUserLimitReset: Interval | null;
  readonly endUserRequired: boolean;
  /** Seconds; null = nothing is cached. */
  readonly cacheTtl: number | null;
  /** Unix milliseconds. */
  readonly expiresAt: number | null;
  /** null = the account's default workspace. */
  readonly workspaceId: string | null;
  /** null = the account's owner, or the member of the client that creates it. */
  readonly creatorUserId: string | null;
}

/**
 * `secret` is shown only once. Throws a 400 Problem that names every violation, 403 for a client that names another
 * member than its own, 404 when the account or the client is gone.
 */
export async function createKey(
  { store, usage, clock, ids }: KeyDependencies,
  administrator: KeyAdministrator,
  input: NewKey,
): Promise<{ record: KeyRecord; secret: string }> {
  const now = clock.now();
  const scope = scopeOf(administrator);
  const { text, hash, label } = mintSecret('api_key', ids);
  const key = await store.createKey(scope, input.workspaceId, (owner): ApiKey => {
    const { workspaceId, ownerUserId } = checked(input, owner, now);
    const memberUserId = administrator.kind === 'client' ? administrator.userId : ownerUserId;
    if (administrator.kind === 'client') requireOwnMember(input, memberUserId);
    return {
      ...scope,
      hash,
      label,
      workspaceId,
      creatorUserId: input.creatorUserId ?? memberUserId,
      name: input.name,
      disabled: false,
      limitNanoUsd: input.limitNanoUsd,
      limitReset: input.limitReset,
      includeByokInLimit: input.includeByokInLimit,
      endUserLimitNanoUsd: input.endUserLimitNanoUsd,
      endUserLimitReset: input.endUserLimitReset,
      endUserRequired: input.endUserRequired,
      cacheTtl: input.cacheTtl,
      expiresAt: input.expiresAt,
      createdAt: now,
      updatedAt: now,
    };
  });
  if (key === undefined) throw notFound();
  return { record: await describeKey(usage, key, now), secret: text };
}

/** The owner, with a workspace. Throws a 400 Problem that names every violation. */
function checked(input: NewKey, owner: KeyOwner, now: number): KeyOwner & { workspaceId: string } {
  const violations: Violation[] = [
    ...checkName('name', input.name),
    ...checkLimit('limit', input.limitNanoUsd),
    ...checkLimit('end_user_limit', input.endUserLimitNanoUsd),
    ...checkCacheTtl(input.cacheTtl),
    ...checkExpiry(input.expiresAt, now),
  ];
  if (input.creatorUserId !== null) violations.push(...checkName('creator_user_id', input.creatorUserId));
  if (owner.workspaceId === undefined) violations.push(UNKNOWN_WORKSPACE);
  if (owner.workspaceId === undefined || violations.length > 0) throw invalid(violations);
  return { ...owner, workspaceId: owner.workspaceId };
}

/** Otherwise a client could use BYOK keys that are restricted to another member. */
function requireOwnMember({ creatorUserId }: NewKey, userId: string): void {
  if (creatorUserId === null || creatorUserId === userId) return;
  throw new Problem('permission_denied', `The keys of this client belong to its own member, ${userId}`);
}
