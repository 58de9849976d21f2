import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Suffixes of the files that SQLite creates beside a database, with the mode of the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Makes a SQLite file and its companions accessible to this user only. Creates a missing file, empty, and missing
 * folders with the same protection. Takes the permissions of others away from existing files that this user owns.
 * Existing folders stay as they are: they may be a volume, or be shared.
 */
export function ensurePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) create(file);
  for (const suffix of SUFFIXES) closeToOthers(`${file}${suffix}`);
}

/** Never opens an existing file: closing it would release all locks that this process has on it (fcntl). */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process has created it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function closeToOthers(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(file, stats.mode & 0o700);
  } catch {
    // The file system has no modes.
  }
}
