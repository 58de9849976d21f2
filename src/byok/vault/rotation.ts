/** `byway vault rotate`: every data key under the current master key (interface section 2). */
import { addMasterKey } from './master-key-file.js';
import { loadMasterKeys, type MasterKeySettings } from './master-key-settings.js';
import { SEALED_KINDS, type SealedKind, type SealedPage, type SealedRecord } from './sealed-records.js';
import { CredentialUnreadable, createVault, type Sealed, type Vault } from './vault.js';

/** The sealed credentials of a store, for their rotation. */
export interface RotationStore {
  /**
   * In one write transaction: gives up to `count` credentials that are not under that master key, in the order of
   * their ids after `after`, to `rewrap`, and stores what it returns (nothing for undefined). Returns the last id
   * that it came to; undefined when there was none.
   */
  rewrapStale(
    kind: SealedKind,
    masterKeyId: string,
    page: SealedPage,
    rewrap: (record: SealedRecord) => Sealed | undefined,
  ): Promise<string | undefined>;
  /** Runs `work`, once, while no other process is in here. */
  withExclusiveLock(work: () => void): Promise<void>;
}

/** What a rotation did. */
export interface Rotated {
  /** The master key that seals from now on. */
  readonly masterKeyId: string;
  readonly rewrappedCount: number;
  /** Ids of the records whose master key is not at hand, or that are damaged; they are left as they are. */
  readonly unreadable: readonly string[];
}

/**
 * Finishes a rotation that the operator began by giving a new key, or that was broken off. When nothing was left to
 * do and the key is our own, in the data directory, makes a new one and re-wraps everything under it. Running
 * processes go on: the older keys stay in the file. Throws `MasterKeyInvalid`.
 */
export async function rotateVault(store: RotationStore, settings: MasterKeySettings): Promise<Rotated> {
  const { keys, ownFile } = loadMasterKeys(settings);
  const finished = await rewrapAll(store, createVault(keys));
  if (ownFile === null || finished.rewrappedCount > 0) return finished;
  await store.withExclusiveLock(() => addMasterKey(ownFile));
  return rewrapAll(store, createVault(loadMasterKeys(settings).keys));
}

/** Short transactions: a running server waits for one batch at most. */
const BATCH = 100;

async function rewrapAll(store: RotationStore, vault: Vault): Promise<Rotated> {
  const { masterKeyId } = vault;
  // Sets: a batch may be run again.
  const unreadable = new Set<string>();
  const rewrappedIds = new Set<string>();
  const rewrap = ({ sealed, context }: SealedRecord): Sealed | undefined => {
    try {
      const rewrapped = vault.rewrap(sealed, context);
      rewrappedIds.add(context.id);
      return rewrapped;
    } catch (error) {
      if (!(error instanceof CredentialUnreadable)) throw error;
      unreadable.add(context.id);
      return undefined;
    }
  };
  for (const kind of SEALED_KINDS) {
    let after: string | undefined = '';
    while (after !== undefined) {
      after = await store.rewrapStale(kind, masterKeyId, { after, count: BATCH }, rewrap);
    }
  }
  return { masterKeyId, rewrappedCount: rewrappedIds.size, unreadable: [...unreadable] };
}
