import { rmSync } from 'node:fs';
import { MasterKeyInvalid } from './master-key.js';
import type { LoadedMasterKeys } from './master-key-settings.js';
import { CREDENTIAL_KINDS, type SealedReader } from './sealed-records.js';

/**
 * Throws `MasterKeyInvalid`, and removes the new key file, when a master key was just created although there are stored
 * credentials: their master key is lost, and sealing more under a new one would only hide that.
 */
export async function refuseLostMasterKey(
  { created, ownFile }: LoadedMasterKeys,
  reader: SealedReader,
): Promise<void> {
  if (!created || ownFile === null) return;
  for (const kind of CREDENTIAL_KINDS) {
    const [stored] = await reader.sealedRecords(kind, { after: '', count: 1 });
    if (stored === undefined) continue;
    rmSync(ownFile);
    throw new MasterKeyInvalid(
      `${ownFile}: is missing, but credentials are stored that it has sealed; put it back, or set BYWAY_MASTER_KEY`,
    );
  }
}
