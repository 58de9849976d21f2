import { type SealedReader, unreadableReason } from './sealed-records.js';
import type { Vault } from './vault.js';

/** How many credentials are tried besides a damaged one, the newest first: one that opens proves the master keys right. */
const MAX_TRIED = 100;

/**
 * Why the vault's master keys are not those of the stored credentials; undefined when they may be. They are not when
 * the one that sealed the newest credential is missing, or when that credential is damaged and no other opens. Reads at
 * most 101 records.
 */
export async function findMasterKeyMismatch(reader: SealedReader, vault: Vault): Promise<string | undefined> {
  const [newest] = await reader.newestSealed(1);
  if (newest === undefined) return undefined;
  const { kind, context, sealed } = newest;
  const name = `${kind === 'key' ? 'BYOK key' : 'shared credential of'} ${context.id}`;
  switch (unreadableReason(vault, sealed, context)) {
    case undefined:
      return undefined;
    case 'unknown_master_key':
      return `does not open the credential that was stored last (${name}), which master key ${sealed.masterKeyId} has sealed`;
    case 'damaged': {
      const others = await reader.newestSealed(MAX_TRIED);
      const doesOneOpen = others.some(
        (one) => unreadableReason(vault, one.sealed, one.context) === undefined,
      );
      return doesOneOpen ? undefined : `opens none of the ${others.length} credentials that were stored last`;
    }
  }
}
