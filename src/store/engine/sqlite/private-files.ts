import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What SQLite adds to the name of a database for the files beside it; it makes them with the mode of the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Has a SQLite file be this user's alone. Where it is not there it is made, empty, with the folders that are missing,
 * which are this user's alone as well; where others may read it or what is beside it, they may no longer, provided
 * that it is this user's. Folders that are there stay as they are: a volume, or one that others use, too.
 */
export function ensurePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) create(file);
  for (const suffix of SUFFIXES) closeToOthers(`${file}${suffix}`);
}

/** Never opens a file that is there: closing it again would end all locks that this process has on it (fcntl). */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process has made it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function closeToOthers(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(file, stats.mode & 0o700);
  } catch {
    // The file system keeps no modes.
  }
}
