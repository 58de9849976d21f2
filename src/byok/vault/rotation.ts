/** `byway vault rotate`: wraps all data keys under the current master key: `docs/credentials.md#master-keys-and-rotation`. */
import { addMasterKey } from './master-key-file.js';
import { loadMasterKeys, type MasterKeySettings } from './master-key-settings.js';
import {
  CREDENTIAL_KINDS,
  SEALED_KINDS,
  type SealedKind,
  type SealedPage,
  type SealedRecord,
} from './sealed-records.js';
import { CredentialUnreadable, createVault, type Sealed, type Vault } from './vault.js';

/** The sealed credentials of a store, for their rotation. */
export interface RotationStore {
  /**
   * In one write transaction: passes up to `count` credentials that are not under that master key, by id after `after`,
   * to `rewrap`, and stores what it returns (nothing for undefined). Returns the last id; undefined when there was none.
   */
  rewrapStale(
    kind: SealedKind,
    masterKeyId: string,
    page: SealedPage,
    rewrap: (record: SealedRecord) => Sealed | undefined,
  ): Promise<string | undefined>;
  /** Runs `work` once while no other process runs one. */
  withExclusiveLock(work: () => void): Promise<void>;
}

export interface Rotated {
  /** The current master key after the rotation. */
  readonly masterKeyId: string;
  readonly rewrappedCount: number;
  /** Ids of the records whose master key is unavailable, or that are damaged; they are left as they are. */
  readonly unreadable: readonly string[];
}

/**
 * Completes a rotation that the operator began by setting a new key, or that was interrupted. If there is nothing to do
 * and the key is Byway's own, in the data directory, adds a new key and re-wraps everything under it. Running processes
 * are not affected: the older keys stay in the file. Throws `MasterKeyInvalid`.
 */
export async function rotateVault(store: RotationStore, settings: MasterKeySettings): Promise<Rotated> {
  const { keys, ownFile } = loadMasterKeys(settings);
  const finished = await rewrapAll(store, createVault(keys));
  if (ownFile === null || finished.rewrappedCount > 0) return finished;
  await store.withExclusiveLock(() => addMasterKey(ownFile));
  return rewrapAll(store, createVault(loadMasterKeys(settings).keys));
}

/** Small, so that a running server never waits long for a transaction. */
const BATCH = 100;

async function rewrapAll(store: RotationStore, vault: Vault): Promise<Rotated> {
  const { masterKeyId } = vault;
  // Sets, since a batch may be retried.
  const unreadable = new Set<string>();
  const rewrappedIds = new Set<string>();
  const rewrapper = (kind: SealedKind) => (record: SealedRecord) => {
    const { sealed, context } = record;
    try {
      const rewrapped = vault.rewrap(sealed, context);
      rewrappedIds.add(context.id);
      return rewrapped;
    } catch (error) {
      if (!(error instanceof CredentialUnreadable)) throw error;
      // Keys of accounts are replaced where they are needed, and cached answers are looked for no more.
      if (CREDENTIAL_KINDS.some((one) => one === kind)) unreadable.add(context.id);
      return undefined;
    }
  };
  for (const kind of SEALED_KINDS) {
    const rewrap = rewrapper(kind);
    let after: string | undefined = '';
    while (after !== undefined) {
      after = await store.rewrapStale(kind, masterKeyId, { after, count: BATCH }, rewrap);
    }
  }
  return { masterKeyId, rewrappedCount: rewrappedIds.size, unreadable: [...unreadable] };
}
