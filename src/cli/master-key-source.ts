import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY_FILE_NAME } from '../byok/master-key-file.js';
import { type LoadedMasterKeys, loadMasterKeys } from '../byok/master-key-settings.js';
import type { Config } from '../config.js';

/** Where the master key comes from. */
export interface MasterKeySource {
  /** The variable that gives it, or the file of our own. */
  readonly name: string;
  /** undefined where the file of our own has not been made yet: this looks without making it. */
  readonly loaded: LoadedMasterKeys | undefined;
}

/** Finds the master keys as a start would, but makes none. Throws `MasterKeyInvalid`. */
export function masterKeySource(config: Config): MasterKeySource {
  const load = () => loadMasterKeys({ ...config, dataDirectory: config.dataDir });
  if (config.masterKey !== undefined) return { name: 'BYWAY_MASTER_KEY', loaded: load() };
  if (config.masterKeyFile !== undefined) return { name: 'BYWAY_MASTER_KEY_FILE', loaded: load() };
  const file = join(config.dataDir, MASTER_KEY_FILE_NAME);
  return { name: file, loaded: existsSync(file) ? load() : undefined };
}
