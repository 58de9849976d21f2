/** Classes of SQLite's errors by result code (https://sqlite.org/rescode.html), also of errors from the threads. */
import { Problem } from '../../../../base/problem.js';
import { databaseUnavailable } from '../../unavailable.js';

/** The file is no database (any more), or its pages are malformed. */
const DAMAGES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** Causes outside of the statement: locks of other processes, a full or failing disk, damage. */
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

/** Also when the error is the cause of a Problem. */
export function isDamage(error: unknown): boolean {
  return isOneOf(error instanceof Problem ? error.cause : error, DAMAGES);
}

/** `database_unavailable` when the database is the cause; any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  return isOneOf(error, OUTAGES) ? databaseUnavailable(error) : error;
}

/** Extended codes begin with the primary one: SQLITE_IOERR_WRITE. */
function isOneOf(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return names.some((name) => code === name || code.startsWith(`${name}_`));
}
