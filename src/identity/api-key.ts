import type { NanoUsd } from '../base/money.js';
import type { Interval } from '../ledger/windows.js';
import type { KeyAdministrator } from './principal.js';

/** A stored API key (spec 2.5). Its secret is stored nowhere. */
export interface ApiKey {
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits: the key's identifier. */
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
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Which keys a caller reaches: its account's, or of those only the ones that one client created. */
export interface KeyScope {
  readonly accountId: string;
  readonly clientId: string | null;
}

/** What a list of keys is narrowed to. Keys come by `createdAt`, then hash. */
export interface KeyQuery {
  readonly includeDisabled: boolean;
  /** null = all workspaces. */
  readonly workspaceId: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** What a new key takes from the account it is created in. */
export interface KeyOwner {
  readonly ownerUserId: string;
  /** The workspace asked for, or the default one; undefined when the account has no such workspace. */
  readonly workspaceId: string | undefined;
}

/** Keeps API keys. Every method is one transaction; deleted keys are reached by none. */
export interface KeyStore {
  /**
   * Stores what `make` makes of the account's home for it; `workspaceId` null asks for the default workspace.
   * undefined when the account, or the client of the scope, does not exist (any more).
   */
  createKey(
    scope: KeyScope,
    workspaceId: string | null,
    make: (home: KeyOwner) => ApiKey,
  ): Promise<ApiKey | undefined>;
  findKey(scope: KeyScope, hash: string): Promise<ApiKey | undefined>;
  /** The page asked for and how many keys there are in all. */
  listKeys(scope: KeyScope, query: KeyQuery): Promise<{ keys: readonly ApiKey[]; totalCount: number }>;
  ownsWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /**
   * Replaces the key by what `change` makes of its updatable fields (spec 4.2) and `updatedAt`; no other write comes
   * in between. `change` may be asked again, and the last answer counts.
   */
  updateKey(scope: KeyScope, hash: string, change: (current: ApiKey) => ApiKey): Promise<ApiKey | undefined>;
  /** false when there was no such key. */
  deleteKey(scope: KeyScope, hash: string, nowMs: number): Promise<boolean>;
}

/** The keys that the caller reaches (spec 4.2): any other key is, for it, one that does not exist. */
export function scopeOf(administrator: KeyAdministrator): KeyScope {
  const clientId = administrator.kind === 'client' ? administrator.clientId : null;
  return { accountId: administrator.accountId, clientId };
}
