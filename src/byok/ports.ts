/** What the keys need of a store. Every write happens in `transact`, and moves the `byok` revision with it. */
import type { ByokKeyQuery } from './inputs.js';
import type { ByokKey } from './types.js';
import type { Sealed } from './vault/vault.js';

/** One page of keys. */
export interface ByokKeyPage {
  /** By creation time, then id. */
  readonly keys: readonly ByokKey[];
  /** How many there are beyond offset and limit. */
  readonly totalCount: number;
}

/** The records of keys. */
export interface ByokStore {
  /**
   * Runs `work` as if alone among all writers; nothing is kept when it throws. It is run again where another writer
   * came between, and must have no other effect.
   */
  transact<T>(work: (tx: ByokTransaction) => Promise<T>): Promise<T>;
  /** The key, if the account has it. */
  find(accountId: string, id: string): Promise<ByokKey | undefined>;
  list(accountId: string, query: ByokKeyQuery): Promise<ByokKeyPage>;
  /** The workspace's id, if the account has it; of the account's default workspace when null is asked for. */
  workspaceId(accountId: string, workspaceId: string | null): Promise<string | undefined>;
  /** Which of the hashes are API keys of the account that are neither deleted nor expired (disabled ones are live). */
  liveHashes(accountId: string, hashes: readonly string[], now: number): Promise<ReadonlySet<string>>;
}

/** What a key refers to, looked up in a transaction or outside of one. */
export type ByokLookups = Pick<ByokStore, 'find' | 'workspaceId' | 'liveHashes'>;

/** The records within one write transaction. */
export interface ByokTransaction extends ByokLookups {
  /** All keys of one provider in one workspace. */
  keysOf(workspaceId: string, provider: string): Promise<readonly ByokKey[]>;
  insert(key: ByokKey, sealed: Sealed): Promise<void>;
  /** Writes all fields of a stored key, and its credential where one is given. */
  replace(key: ByokKey, sealed: Sealed | undefined): Promise<void>;
  /** Moves a key within its section. */
  place(id: string, sortOrder: number): Promise<void>;
  delete(id: string): Promise<void>;
}

/** A key with its credential, still sealed. */
export interface StoredKey {
  readonly key: ByokKey;
  readonly sealed: Sealed;
}

/** The credential of a provider's shared capacity, still sealed. */
export interface SharedCredential {
  readonly provider: string;
  /** Masked, as of a key. */
  readonly label: string;
  readonly sealed: Sealed;
  /** Unix milliseconds. */
  readonly updatedAt: number;
}

/** Sealed credentials, for those who use them. */
export interface CredentialSource {
  /** All keys of the workspace: by provider, then section and position. */
  storedKeysOf(workspaceId: string): Promise<readonly StoredKey[]>;
  storedKey(accountId: string, id: string): Promise<StoredKey | undefined>;
  sharedCredentials(): Promise<readonly SharedCredential[]>;
  /** Calls `listener` after every committed change of any key or shared credential; returns what ends it. */
  onChange(listener: () => void): () => void;
}

/** Where shared credentials are kept, one per provider. */
export interface SharedCredentialStore {
  /** Stores the credential, in the place of an older one. */
  putShared(credential: SharedCredential): Promise<void>;
}
