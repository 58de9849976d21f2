import { PostgresAdapter, sql } from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import { isPartition } from './partitions.js';

/** Counters of cached state and of calls, which change without any visible effect. */
const NOT_DATA = new Set(['revision', 'rate_bucket']);

interface Dump {
  readonly writes: string;
  readonly left: string;
  readonly text: string;
}

/** The last dump of each database on SQLite, which tells whether anything was written since. */
const last = new WeakMap<Database, Dump>();

/** Every row of every table as text, except for the counters and `left`: equal when nothing was written in between. */
export async function dumpDatabase(database: Database, left: readonly string[] = []): Promise<string> {
  if (database.query.getExecutor().adapter instanceof PostgresAdapter) return dump(database, left);
  const writes = await writesOn(database);
  const known = last.get(database);
  if (known?.writes === writes && known.left === left.join()) return known.text;
  const text = await dump(database, left);
  last.set(database, { writes, left: left.join(), text });
  return text;
}

/** SQLite's counts: rows that the connection has changed, commits of others, and changes of the schema. */
async function writesOn(database: Database): Promise<string> {
  const { rows } = await database.transact([], (tx) =>
    sql`select total_changes() as own, data_version as other, schema_version as schema
      from pragma_data_version, pragma_schema_version`.execute(tx),
  );
  return JSON.stringify(rows);
}

async function dump({ query }: Database, left: readonly string[]): Promise<string> {
  const dumped: string[] = [];
  for (const { table, rows } of await allRows(query)) {
    if (!NOT_DATA.has(table) && !left.includes(table))
      dumped.push(`${table}\n${rows.map(rowText).sort().join('\n')}`);
  }
  return dumped.join('\n\n');
}

/** Every value of every row as text; bytes as one character each. */
export async function valuesOf({ query }: Database): Promise<string[]> {
  const values = (await allRows(query)).flatMap(({ rows }) => rows.flatMap((row) => Object.values(row)));
  return values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)));
}

async function allRows(query: Database['query']) {
  const names = (await query.introspection.getTables()).map(({ name }) => name);
  const tables = names.filter((name) => !isPartition(name)).sort();
  return Promise.all(
    tables.map(async (table) => ({
      table,
      rows: (await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(query)).rows,
    })),
  );
}

function rowText(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
