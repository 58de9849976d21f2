/**
 * Master keys in a file, one per line in base64. The first one seals; the others open older credentials. A rotation
 * adds a line at the top; running processes read the file again when they meet an unknown key id.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeFileError } from '../../base/file-error.js';
import { createSecretFile, replaceSecretFile } from '../../base/secret-file.js';
import {
  MASTER_KEY_BYTES,
  type MasterKey,
  MasterKeyInvalid,
  type MasterKeys,
  masterKeys,
  readMasterKey,
} from './master-key.js';

export const MASTER_KEY_FILE_NAME = 'master.key';

/**
 * The keys of the file and of `older`. Throws `MasterKeyInvalid` naming `setting` when the file can't be read or a line
 * is not a key. The file is read synchronously, at the start and for unknown key ids only.
 */
export function openMasterKeyFile(setting: string, path: string, older: readonly MasterKey[]): MasterKeys {
  let keys = readKeys(setting, path, older);
  return {
    get current() {
      return keys.current;
    },
    find(id) {
      const known = keys.find(id);
      if (known !== undefined) return known;
      const fresh = tryReadKeys(setting, path, older);
      if (fresh?.find(id) !== undefined) keys = fresh;
      return keys.find(id);
    },
  };
}

/**
 * Creates the file with one new key, readable by its owner only, unless it exists. Atomic: when two processes start at
 * once, one creates the file and both read the same key. Returns whether this call created it.
 */
export function createMasterKeyFile(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return createSecretFile(path, `${newKeyText()}\n`);
}

/** Adds a new key at the top of the file, atomically for readers. */
export function addMasterKey(path: string): void {
  replaceSecretFile(path, `${newKeyText()}\n${readFileSync(path, 'utf8')}`);
}

function readKeys(setting: string, path: string, older: readonly MasterKey[]): MasterKeys {
  const lines = readLines(setting, path);
  return masterKeys(setting, [
    ...lines.map((line) => readMasterKey(setting, line)),
    ...(lines.length > 0 ? older : []),
  ]);
}

/** A temporarily unreadable file counts as unchanged: the caller reports the unknown key. */
function tryReadKeys(setting: string, path: string, older: readonly MasterKey[]): MasterKeys | undefined {
  try {
    return readKeys(setting, path, older);
  } catch (error) {
    if (error instanceof MasterKeyInvalid) return undefined;
    throw error;
  }
}

function readLines(setting: string, path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    throw new MasterKeyInvalid(`${setting}: cannot read ${describeFileError(path, error)}`);
  }
}

function newKeyText(): string {
  return randomBytes(MASTER_KEY_BYTES).toString('base64');
}
