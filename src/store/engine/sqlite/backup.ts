import { closeSync, existsSync, linkSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Connection } from './connection/connection.js';

/** How long a step waits for a lock of another process. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Copies a database to a new file that only this user may read, with SQLite's online backup: what was committed when it
 * begins, in one piece, also while other processes write. The file appears when it is complete. Throws the system's error
 * with code EEXIST where there is one already, and then changes nothing.
 */
export async function backupSqlite(source: string, file: string): Promise<void> {
  // Refused before the work, and, by the link below, also where another process makes it meanwhile.
  if (existsSync(file)) closeSync(openSync(file, 'wx'));
  // Beside the file: a link can't lead to another file system. Its mode is 0700.
  const folder = mkdtempSync(join(dirname(file), `.${basename(file)}-`));
  const copy = join(folder, 'copy');
  closeSync(openSync(copy, 'wx', 0o600));
  const connection = new Connection(source, BUSY_TIMEOUT_MS);
  try {
    await connection.backup(copy);
    linkSync(copy, file);
  } finally {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
