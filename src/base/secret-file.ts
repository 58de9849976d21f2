/** Writes files that only their owner may read, atomically and flushed to the disk. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Creates the file unless it exists; when two processes try, only one does. Returns whether this call did. */
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

/** Readers see either the old file or the new one. */
export function replaceSecretFile(path: string, text: string): void {
  withTemporary(path, text, (temporary) => renameSync(temporary, path));
}

/**
 * Writes a temporary file beside `path`, flushes it before `work` runs, and removes it if it is still there. Errors of
 * the system name `path`, where their own would name the temporary file or nothing.
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
