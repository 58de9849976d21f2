import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY_FILE_NAME } from '../../byok/vault/master-key-file.js';
import { type LoadedMasterKeys, loadMasterKeys } from '../../byok/vault/master-key-settings.js';
import type { Config } from '../../config/config.js';

/** Where the master key comes from. */
export interface MasterKeySource {
  /** The variable that gives it, or Byway's own file. */
  readonly name: string;
  /** Undefined when Byway's own file does not exist yet: it is not created here. */
  readonly loaded: LoadedMasterKeys | undefined;
}

/** Loads the master keys as a start would, but creates none. Throws `MasterKeyInvalid`. */
export function masterKeySource(config: Config): MasterKeySource {
  const name = masterKeyName(config);
  const isGiven = config.masterKey !== undefined || config.masterKeyFile !== undefined;
  const exists = isGiven || existsSync(name);
  return { name, loaded: exists ? loadMasterKeys({ ...config, dataDirectory: config.dataDir }) : undefined };
}

/** The variable that gives the master key, or the path of Byway's own file. */
export function masterKeyName({ masterKey, masterKeyFile, dataDir }: Config): string {
  if (masterKey !== undefined) return 'BYWAY_MASTER_KEY';
  return masterKeyFile !== undefined ? 'BYWAY_MASTER_KEY_FILE' : join(dataDir, MASTER_KEY_FILE_NAME);
}
