/** Classes of SQLite's errors by result code (https://sqlite.org/rescode.html), also of errors from the threads. */
import { Problem } from '../../../../base/problem.js';
import { databaseUnavailable } from '../../unavailable.js';

/** The file is no database (any more), or its pages are malformed. */
const DAMAGES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** Causes outside of the statement: locks of other processes, a full, failing or read-only disk, damage. */
const OUTAGES = [
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_PROTOCOL',
  'SQLITE_READONLY',
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

/** What an operator reads instead of SQLite's own words, by result code. */
const WORDS: readonly (readonly [code: string, words: string])[] = [
  [
    'SQLITE_BUSY',
    'another program holds its lock for writing: end that (a shell of sqlite3 in a transaction, a copy, an older gateway)',
  ],
  ['SQLITE_READONLY', 'this user may not write it: change its owner or mode, or run as its owner'],
  ['SQLITE_CANTOPEN', 'it cannot be opened: it must be a file, in a folder that this user may write'],
  ['SQLITE_FULL', 'its disk is full: make room there'],
  ['SQLITE_IOERR', "its disk or file system fails: look at the system's log"],
];

/** Undefined for errors that have no words here. */
export function wordsOfSqlite(error: unknown): string | undefined {
  return WORDS.find(([code]) => isOneOf(error, [code]))?.[1];
}

/** Extended codes begin with the primary one: SQLITE_IOERR_WRITE. */
function isOneOf(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return names.some((name) => code === name || code.startsWith(`${name}_`));
}
