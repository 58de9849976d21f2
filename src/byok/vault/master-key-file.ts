/**
 * Master keys in a file: one per line in base64, the first one seals, the others open what is older. A rotation puts
 * a new line at the top and keeps the rest, and running processes read the file again when they meet an unknown key.
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

/** The name of the key file in the data directory. */
export const MASTER_KEY_FILE_NAME = 'master.key';

/**
 * The keys of the file and those of `older`. Throws `MasterKeyInvalid` naming `setting` when the file can't be
 * read or a line of it is no key. Files are read synchronously, at the start and at an unknown key only.
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
 * Makes the file with one new key, readable by its owner alone, unless it exists. Whole or not at all: of two
 * processes that start at once, one makes the file and both read the same key. Returns whether this call made it.
 */
export function createMasterKeyFile(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return createSecretFile(path, `${newKeyText()}\n`);
}

/** Puts a new key at the top of the file and keeps the older ones; readers see the old file or the new one. */
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

/** A file that is unreadable just now is as good as unchanged: the caller reports the unknown key. */
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
