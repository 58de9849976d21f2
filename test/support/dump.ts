import { sql } from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import { isPartition } from './partitions.js';

/** Counters of cached state and of calls, which change without any visible effect. */
const NOT_DATA = new Set(['revision', 'rate_bucket']);

/** Every row of every table as text, except for the counters and `left`: equal when nothing was written in between. */
export async function dumpDatabase({ query }: Database, left: readonly string[] = []): Promise<string> {
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
