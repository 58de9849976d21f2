import { Problem } from '../../../base/problem.js';
import { DatabaseUnusable } from '../unavailable.js';
import { isDamage, wordsOfSqlite } from './connection/errors.js';

/** DatabaseUnusable with words for the operator when the error is one of the file; any other error unchanged. */
export function asUnusableSqlite(error: unknown, file: string): unknown {
  if (isDamage(error)) return damagedFile(file, describeDamage(error));
  const words = wordsOfSqlite(error instanceof Problem ? error.cause : error);
  return words === undefined ? error : new DatabaseUnusable(`the database ${file} cannot be used: ${words}`);
}

/** The damage that caused an error, in words; undefined when damage was not the cause. */
export function damageOf(error: unknown): string | undefined {
  if (error instanceof DatabaseUnusable) return error.damage;
  return isDamage(error) ? describeDamage(error) : undefined;
}

export function damagedFile(file: string, damage: string): DatabaseUnusable {
  return new DatabaseUnusable(
    `the database ${file} is damaged (${damage}); "byway db check" tells more`,
    damage,
  );
}

/** In words of ours where SQLite's say too little. */
export function describeDamage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return describeDamage(error.cause);
  const isNoDatabase = 'code' in error && error.code === 'SQLITE_NOTADB';
  return isNoDatabase
    ? 'it does not begin as a SQLite database does: it was overwritten, or it is another file'
    : error.message;
}
