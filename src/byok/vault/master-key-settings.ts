import { join } from 'node:path';
import { MasterKeyInvalid, type MasterKeys, masterKeys, readMasterKey } from './master-key.js';
import { createMasterKeyFile, MASTER_KEY_FILE_NAME, openMasterKeyFile } from './master-key-file.js';

/** The configuration of master keys; undefined = not set. */
export interface MasterKeySettings {
  /** `BYWAY_MASTER_KEY`: 32 bytes in base64. */
  readonly masterKey: string | undefined;
  /** `BYWAY_MASTER_KEY_FILE`: path of a file with such keys, one per line. */
  readonly masterKeyFile: string | undefined;
  /** `BYWAY_MASTER_KEY_PREVIOUS`: older keys, separated by commas. */
  readonly masterKeyPrevious: string | undefined;
  /** Where Byway stores a key of its own when neither of the first two is set. */
  readonly dataDirectory: string;
}

export interface LoadedMasterKeys {
  readonly keys: MasterKeys;
  /** Byway's own key file in the data directory; null when the operator gave the keys. */
  readonly ownFile: string | null;
  /** Whether this call created that file. It must be logged: losing the file loses all stored credentials. */
  readonly created: boolean;
}

/** Loads the master keys. Throws `MasterKeyInvalid` naming the invalid setting. */
export function loadMasterKeys(settings: MasterKeySettings): LoadedMasterKeys {
  const { masterKey, masterKeyFile, masterKeyPrevious, dataDirectory } = settings;
  if (masterKey !== undefined && masterKeyFile !== undefined) {
    throw new MasterKeyInvalid('BYWAY_MASTER_KEY and BYWAY_MASTER_KEY_FILE: only one of them can be set');
  }
  const older = (masterKeyPrevious?.split(',') ?? []).map((text) => readMasterKey(PREVIOUS, text.trim()));
  if (masterKey !== undefined) {
    const current = readMasterKey('BYWAY_MASTER_KEY', masterKey.trim());
    return { keys: masterKeys('BYWAY_MASTER_KEY', [current, ...older]), ownFile: null, created: false };
  }
  if (masterKeyFile !== undefined) {
    return {
      keys: openMasterKeyFile('BYWAY_MASTER_KEY_FILE', masterKeyFile, older),
      ownFile: null,
      created: false,
    };
  }
  const ownFile = join(dataDirectory, MASTER_KEY_FILE_NAME);
  const created = createMasterKeyFile(ownFile);
  return { keys: openMasterKeyFile(ownFile, ownFile, older), ownFile, created };
}

const PREVIOUS = 'BYWAY_MASTER_KEY_PREVIOUS';
