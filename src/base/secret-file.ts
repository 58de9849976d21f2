/** Files that only their owner may read, and that are there whole, on the disk, or not at all. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Makes the file unless it exists: of two processes one makes it. Returns whether this call did. */
export function createSecretFile(path: string, text: string): boolean {
  return withTemporary(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Puts the text in the place of the file; readers see the old file or the new one. */
export function replaceSecretFile(path: string, text: string): void {
  withTemporary(path, text, (temporary) => renameSync(temporary, path));
}

/**
 * Writes a file beside `path`, on the disk before `work` sees it, and removes what is left of it. The system's errors
 * are told of `path`: some name the temporary file, and some none.
 */
function withTemporary<T>(path: string, text: string, work: (temporary: string) => T): T {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return work(temporary);
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path }) : error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
