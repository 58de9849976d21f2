import type { NanoUsd } from '../base/money.js';
import type { Interval } from '../ledger/balance/windows.js';
import type { EndUserRules } from '../ledger/end-users.js';
import type { SpendLimit } from '../ledger/limits.js';
import { subjects } from '../ledger/payer.js';
import type { ApiKeyPrincipal, KeyAdministrator } from './principal.js';

export interface ApiKey {
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits: the key's identifier. The secret is not stored. */
  readonly hash: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** The client application that created it; null for one created with a management key. */
  readonly clientId: string | null;
  readonly creatorUserId: string;
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  /** null = no limit. */
  readonly limitNanoUsd: NanoUsd | null;
  /** null = the limit never resets. */
  readonly limitReset: Interval | null;
  readonly includeByokInLimit: boolean;
  /** Of each end user for itself; BYOK usage counts as it does for the key. null = no limit. */
  readonly endUserLimitNanoUsd: NanoUsd | null;
  /** null = the limit never resets. */
  readonly endUserLimitReset: Interval | null;
  /** Whether requests that name no end user are refused. */
  readonly endUserRequired: boolean;
  /** How old a cached answer may be, in seconds, for requests that say nothing; null = none is cached. */
  readonly cacheTtl: number | null;
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The keys that a caller may see: those of its account, or of those only the ones that one client created. */
export interface KeyScope {
  readonly accountId: string;
  readonly clientId: string | null;
}

/** Filters of a list of keys, which is ordered by `createdAt`, then hash. */
export interface KeyQuery {
  readonly includeDisabled: boolean;
  /** null = all workspaces. */
  readonly workspaceId: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** The account and workspace that a new key is created in. */
export interface KeyOwner {
  readonly ownerUserId: string;
  /** The requested workspace, or the default one; undefined when the account has no such workspace. */
  readonly workspaceId: string | undefined;
}

/** Every method is one transaction and ignores deleted keys. */
export interface KeyStore {
  /**
   * Stores the key that `make` returns; `workspaceId` null means the default workspace. undefined when the account, or
   * the client of the scope, does not exist (any more).
   */
  createKey(
    scope: KeyScope,
    workspaceId: string | null,
    make: (owner: KeyOwner) => ApiKey,
  ): Promise<ApiKey | undefined>;
  findKey(scope: KeyScope, hash: string): Promise<ApiKey | undefined>;
  /** The key that the caller has authenticated with; may be the same object for the same principal. */
  findOwnKey(caller: ApiKeyPrincipal): Promise<ApiKey | undefined>;
  /** The requested page, and the count of all keys. */
  listKeys(scope: KeyScope, query: KeyQuery): Promise<{ keys: readonly ApiKey[]; totalCount: number }>;
  ownsWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /** Whether the account has the workspace, or has had it. */
  hadWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /**
   * Replaces the updatable fields and `updatedAt` by those that `change` returns, with no other write in between.
   * `change` may be called again; the last result counts.
   */
  updateKey(scope: KeyScope, hash: string, change: (current: ApiKey) => ApiKey): Promise<ApiKey | undefined>;
  /** false when there was no such key. */
  deleteKey(scope: KeyScope, hash: string, nowMs: number): Promise<boolean>;
}

/** For the caller, keys outside of this scope do not exist. */
export function scopeOf(administrator: KeyAdministrator): KeyScope {
  const clientId = administrator.kind === 'client' ? administrator.clientId : null;
  return { accountId: administrator.accountId, clientId };
}

/** The spending limit of a key; null = none. */
export function keyLimit({
  hash,
  name,
  limitNanoUsd,
  limitReset,
  includeByokInLimit,
}: Pick<ApiKey, 'hash' | 'name' | 'limitNanoUsd' | 'limitReset' | 'includeByokInLimit'>): SpendLimit | null {
  if (limitNanoUsd === null) return null;
  return {
    kind: 'key',
    subject: subjects.key(hash),
    interval: limitReset,
    includeByok: includeByokInLimit,
    limitNanoUsd,
    id: hash,
    name,
    title: null,
  };
}

/** What a key says of its end users; null = nothing. */
export function endUserRules({
  hash,
  endUserLimitNanoUsd,
  endUserLimitReset,
  endUserRequired,
  includeByokInLimit,
}: Pick<
  ApiKey,
  'hash' | 'endUserLimitNanoUsd' | 'endUserLimitReset' | 'endUserRequired' | 'includeByokInLimit'
>): EndUserRules | null {
  if (endUserLimitNanoUsd === null && !endUserRequired) return null;
  return {
    keyHash: hash,
    limitNanoUsd: endUserLimitNanoUsd,
    interval: endUserLimitReset,
    includeByok: includeByokInLimit,
    isRequired: endUserRequired,
  };
}
