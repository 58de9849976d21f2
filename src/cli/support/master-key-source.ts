import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY_FILE_NAME } from '../../byok/vault/master-key-file.js';
import { type LoadedMasterKeys, loadMasterKeys } from '../../byok/vault/master-key-settings.js';
import type { Config } from '../../config.js';

/** Where the master key comes from. */
export interface MasterKeySource {
  /** The variable that gives it, or the file of our own. */
  readonly name: string;
  /** undefined where the file of our own has not been made yet: this looks without making it. */
  readonly loaded: LoadedMasterKeys | undefined;
}

/** Finds the master keys as a start would, but makes none. Throws `MasterKeyInvalid`. */
export function masterKeySource(config: Config): MasterKeySource {
  const name = masterKeyName(config);
  const isGiven = config.masterKey !== undefined || config.masterKeyFile !== undefined;
  const isThere = isGiven || existsSync(name);
  return { name, loaded: isThere ? loadMasterKeys({ ...config, dataDirectory: config.dataDir }) : undefined };
}

/** The variable that gives the master key, or the file of our own. */
export function masterKeyName({ masterKey, masterKeyFile, dataDir }: Config): string {
  if (masterKey !== undefined) return 'BYWAY_MASTER_KEY';
  return masterKeyFile !== undefined ? 'BYWAY_MASTER_KEY_FILE' : join(dataDir, MASTER_KEY_FILE_NAME);
}
