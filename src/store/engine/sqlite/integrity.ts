/** Damage of a SQLite file: the quick check of a start, and the full check. */
import { statSync } from 'node:fs';
import type { Connection } from './connection/connection.js';
import { isDamage } from './connection/errors.js';
import { damagedFile, describeDamage } from './unusable.js';

/** A start checks a file up to this size as a whole, in 0.1 s; in a larger one it checks both ends of each table. */
const MAX_BYTES_READ_AT_START = 32 * 1024 * 1024;

/** One torn page can cause very many messages. */
const MAX_REPORTED = 100;

/** Throws DatabaseUnusable when a check that is quick enough for a start finds damage. */
export function refuseDamaged(connection: Connection, file: string): void {
  const isSmall = statSync(file).size <= MAX_BYTES_READ_AT_START;
  const [damage] = reportedDamages(() =>
    isSmall ? checked(connection, 'quick_check(1)') : edges(connection),
  );
  if (damage !== undefined) throw damagedFile(file, damage);
}

/** All damage of the file, one line each; reads the whole file. */
export function findIntegrityErrors(connection: Connection): string[] {
  return [
    ...reportedDamages(() => integrityDamages(connection)),
    ...reportedDamages(() => danglingReferences(connection)),
  ];
}

/** Some damage aborts the check of the whole file; then each table is checked separately, to name those with damage. */
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

/** Damage may abort the check itself; then its error is all that is known. */
function reportedDamages(look: () => string[]): string[] {
  try {
    return look();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [describeDamage(error)];
  }
}

function checked(connection: Connection, pragma: string): string[] {
  const rows = connection.statement(`PRAGMA ${pragma}`).all([]);
  const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
  const found = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  if (found.length === 0) return [];
  const trees = treeNames(connection);
  return found.map((line) => line.replace(/^Tree (\d+)/, (tree, root) => trees.get(Number(root)) ?? tree));
}

/** Tables and indexes by their root page, which is how SQLite refers to them. */
function treeNames(connection: Connection): ReadonlyMap<number, string> {
  const rows = connection.statement('SELECT type, name, rootpage FROM sqlite_schema').all([]);
  return new Map(rows.map(({ type, name, rootpage }) => [Number(rootpage), `${type} ${name}`]));
}

/** Reads both ends of every table. Throws when one can't be read; reports nothing else. */
function edges(connection: Connection): string[] {
  for (const table of tableNames(connection)) {
    const first = firstKeyColumn(connection, table);
    for (const order of ['ASC', 'DESC']) {
      connection.statement(`SELECT * FROM "${table}" ORDER BY ${first} ${order} LIMIT 1`).all([]);
    }
  }
  return [];
}

/** What a table is stored in the order of. */
function firstKeyColumn(connection: Connection, table: string): string {
  const rows = connection
    .statement(
      `SELECT c.name FROM pragma_table_list(?) AS t, pragma_table_info(t.name) AS c WHERE t.wr = 1 AND c.pk = 1`,
    )
    .all([table]);
  return rows[0] === undefined ? 'rowid' : `"${rows[0].name}"`;
}

function tableNames(connection: Connection): string[] {
  const rows = connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table'").all([]);
  return rows.map(({ name }) => String(name));
}

function danglingReferences(connection: Connection): string[] {
  const rows = connection.statement('PRAGMA foreign_key_check').all([]);
  return rows.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing ${parent}`);
}
