/** What the errors of SQLite mean, by their result codes (https://sqlite.org/rescode.html), from whichever thread. */
import { Problem } from '../../../base/problem.js';
import { databaseUnavailable } from '../unavailable.js';

/** Wrong bytes: a file that is no database (any more), pages that can't be what they should be. */
const DAMAGES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** What is nobody's fault who asked: locks of others, a full disk, a disk that fails, damage. */
const OUTAGES = [
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_PROTOCOL',
  ...DAMAGES,
];

/** Whether SQLite refused because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return isOneOf(error, ['SQLITE_BUSY']);
}

/** Whether the stored bytes are wrong, also where a Problem was made of it. */
export function isDamage(error: unknown): boolean {
  return isOneOf(error instanceof Problem ? error.cause : error, DAMAGES);
}

/** `database_unavailable` where the database can't be had; any other error as it is. */
export function asUnavailable(error: unknown): unknown {
  return isOneOf(error, OUTAGES) ? databaseUnavailable(error) : error;
}

/** Extended codes begin with the name of theirs: SQLITE_IOERR_WRITE. */
function isOneOf(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return names.some((name) => code === name || code.startsWith(`${name}_`));
}
