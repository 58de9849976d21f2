/** Storage of keys. Every write happens in `transact`, whose changes `CredentialSource.onChange` reports. */

import type { ByokKey } from '../types.js';
import type { Sealed } from '../vault/vault.js';
import type { ByokKeyQuery } from './inputs.js';
import type { KeyPosition, Move } from './sections.js';

/** One page of keys. */
export interface ByokKeyPage {
  /** By creation time, then id. */
  readonly keys: readonly ByokKey[];
  /** Regardless of offset and limit. */
  readonly totalCount: number;
}

export interface ByokStore {
  /**
   * Runs `work` in a serializable transaction, which is rolled back when it throws. It is retried after conflicts, so it
   * must have no other effects.
   */
  transact<T>(work: (tx: ByokTransaction) => Promise<T>): Promise<T>;
  /** undefined for another account's key too. */
  find(accountId: string, id: string): Promise<ByokKey | undefined>;
  list(accountId: string, query: ByokKeyQuery): Promise<ByokKeyPage>;
  /** Whether the account has the workspace, or has had it. */
  hadWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /** The id of the account's workspace; null asks for its default workspace. */
  workspaceId(accountId: string, workspaceId: string | null): Promise<string | undefined>;
  /** Which of the ids are workspaces of the account. */
  workspacesAmong(accountId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which of the hashes are API keys of the account that are neither deleted nor expired (disabled ones are live). */
  liveHashes(accountId: string, hashes: readonly string[], now: number): Promise<ReadonlySet<string>>;
  /** Which of the users an API key of the account that is not deleted acts as. */
  usersWithKeys(accountId: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Look-ups in a transaction or outside of one. */
export type ByokLookups = Pick<
  ByokStore,
  'find' | 'workspaceId' | 'workspacesAmong' | 'liveHashes' | 'usersWithKeys'
>;

/** One write transaction. */
export interface ByokTransaction extends ByokLookups {
  /** How many keys the section has. */
  sectionSize(section: Pick<ByokKey, 'workspaceId' | 'provider' | 'isFallback'>): Promise<number>;
  insert(key: ByokKey, sealed: Sealed): Promise<void>;
  /** Writes all fields of the stored key `current`, and its credential if given. */
  replace(current: ByokKey, key: ByokKey, sealed: Sealed | undefined): Promise<void>;
  /** Moves the key whose place is `current`, and shifts others of its provider; `updatedAt` stays as it is. */
  rearrange(of: Pick<ByokKey, 'workspaceId' | 'provider'>, current: KeyPosition, move: Move): Promise<void>;
  /** Shifts the keys behind one that was deleted. */
  closeGap(deleted: Pick<ByokKey, 'workspaceId' | 'provider'> & KeyPosition): Promise<void>;
  delete(key: ByokKey): Promise<void>;
}

/** A key with its credential, still sealed. */
export interface StoredKey {
  readonly key: ByokKey;
  readonly sealed: Sealed;
}

/** A provider's shared credential, still sealed. */
export interface SharedCredential {
  readonly provider: string;
  /** Masked, like a key's. */
  readonly label: string;
  readonly sealed: Sealed;
  /** Unix milliseconds. */
  readonly updatedAt: number;
}

/** The value of a header that a provider's host gets, still sealed. */
export interface SealedHeader {
  readonly provider: string;
  readonly name: string;
  readonly sealed: Sealed;
}

/** What a write has changed of the keys of one workspace. */
export interface KeyChange {
  readonly workspaceId: string;
  /** The keys that were created, changed or deleted. */
  readonly ids: readonly string[];
  /** The account where a key is, or was, for further workspaces: any of the account's may be one. */
  readonly sharedBy: string | null;
  /** The provider whose keys may have new places and nothing else that is new; null = no provider. */
  readonly rearranged: string | null;
}

/** Reads sealed credentials. */
export interface CredentialSource {
  /**
   * All keys that the workspace may use, those of others as it has them (`asShared`): by provider, then section and
   * position.
   */
  storedKeysOf(workspaceId: string): Promise<readonly StoredKey[]>;
  /** The keys among these ids that the workspace may use. */
  storedKeysAmong(workspaceId: string, ids: readonly string[]): Promise<readonly StoredKey[]>;
  /** The places of the workspace's own keys of a provider. */
  placesOf(workspaceId: string, provider: string): Promise<readonly (KeyPosition & Pick<ByokKey, 'id'>)[]>;
  storedKey(accountId: string, id: string): Promise<StoredKey | undefined>;
  /** The account's keys among these ids. */
  storedKeys(accountId: string, ids: readonly string[]): Promise<readonly StoredKey[]>;
  sharedCredentials(): Promise<readonly SharedCredential[]>;
  /** The headers of all providers. */
  providerHeaders(): Promise<readonly SealedHeader[]>;
  /**
   * Calls `listener` after every committed change of any key or shared credential, with null where it is not known which;
   * returns the unsubscribe function.
   */
  onChange(listener: (changes: readonly KeyChange[] | null) => void): () => void;
}

/** Stores shared credentials, one per provider. */
export interface SharedCredentialStore {
  /** Replaces an older one. */
  putShared(credential: SharedCredential): Promise<void>;
  /** Nothing where there is none. */
  deleteShared(provider: string): Promise<void>;
}
