/** Damage of a SQLite file: what can be seen at a start, what can be seen by reading all of it, and how it is told. */
import { statSync } from 'node:fs';
import { DatabaseUnusable } from '../unavailable.js';
import type { Connection } from './connection.js';
import { isDamage } from './errors.js';

/** A start reads a file up to this size as a whole, in 0.1 s; of a larger one only where its tables begin and end. */
const MAX_BYTES_READ_AT_START = 32 * 1024 * 1024;

/** Damages that are told; one torn page may be the reason of very many. */
const MAX_REPORTED = 100;

/** Throws DatabaseUnusable where damage can be seen without reading more of a large file than a start has time for. */
export function refuseDamaged(connection: Connection, file: string): void {
  const isSmall = statSync(file).size <= MAX_BYTES_READ_AT_START;
  const [damage] = reportedDamages(() =>
    isSmall ? checked(connection, 'quick_check(1)') : edges(connection),
  );
  if (damage !== undefined) throw unusable(file, damage);
}

/** The damages of the stored bytes, one line each; takes as long as reading all of them. */
export function damages(connection: Connection): string[] {
  return [
    ...reportedDamages(() => integrityDamages(connection)),
    ...reportedDamages(() => danglingReferences(connection)),
  ];
}

/** Some damage ends the check of the whole file: then each table is looked at alone, so that those can be told that have it. */
function integrityDamages(connection: Connection): string[] {
  try {
    return checked(connection, `integrity_check(${MAX_REPORTED})`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const found = tableNames(connection).flatMap((table) =>
      reportedDamages(() => checked(connection, `quick_check("${table}")`)).map(
        (line) => `${table}: ${line}`,
      ),
    );
    return [describeDamage(error), ...found];
  }
}

/** The damage that is the reason of an error, in words; undefined where none is. */
export function damageOf(error: unknown): string | undefined {
  if (error instanceof DatabaseUnusable) return error.damage;
  return isDamage(error) ? describeDamage(error) : undefined;
}

/** DatabaseUnusable where damage of the file is the reason; any other error as it is. */
export function asUnusable(error: unknown, file: string): unknown {
  return isDamage(error) ? unusable(file, describeDamage(error)) : error;
}

/** Damage may be such that nothing else can be told but that it is there. */
function reportedDamages(look: () => string[]): string[] {
  try {
    return look();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [describeDamage(error)];
  }
}

function unusable(file: string, damage: string): DatabaseUnusable {
  return new DatabaseUnusable(
    `the database ${file} is damaged (${damage}); "byway db check" tells more`,
    damage,
  );
}

function describeDamage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return describeDamage(error.cause);
  const isNoDatabase = 'code' in error && error.code === 'SQLITE_NOTADB';
  return isNoDatabase
    ? 'it does not begin as a SQLite database does: it was overwritten, or it is another file'
    : error.message;
}

function checked(connection: Connection, pragma: string): string[] {
  const rows = connection.statement(`PRAGMA ${pragma}`).all([]);
  const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
  const found = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  if (found.length === 0) return [];
  const trees = treeNames(connection);
  return found.map((line) => line.replace(/^Tree (\d+)/, (tree, root) => trees.get(Number(root)) ?? tree));
}

/** Tables and indexes by the page that they begin with, by which SQLite calls them. */
function treeNames(connection: Connection): ReadonlyMap<number, string> {
  const rows = connection.statement('SELECT type, name, rootpage FROM sqlite_schema').all([]);
  return new Map(rows.map(({ type, name, rootpage }) => [Number(rootpage), `${type} ${name}`]));
}

/** Nothing, or what keeps the ends of a table from being read. */
function edges(connection: Connection): string[] {
  for (const table of tableNames(connection)) {
    for (const order of ['ASC', 'DESC']) {
      connection.statement(`SELECT * FROM "${table}" ORDER BY rowid ${order} LIMIT 1`).all([]);
    }
  }
  return [];
}

function tableNames(connection: Connection): string[] {
  const rows = connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table'").all([]);
  return rows.map(({ name }) => String(name));
}

function danglingReferences(connection: Connection): string[] {
  const rows = connection.statement('PRAGMA foreign_key_check').all([]);
  return rows.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing ${parent}`);
}
