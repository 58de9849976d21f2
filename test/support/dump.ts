import { sql } from 'kysely';
import type { Database } from '../../src/store/database.js';

/** Counters of cached state move without anything that a caller sees becoming different. */
const NOT_DATA = new Set(['revision']);

/** Every row of every table as text, but for the revision counters: equal when nothing was written in between. */
export async function dumpDatabase({ query }: Database): Promise<string> {
  const tables = (await query.introspection.getTables()).map(({ name }) => name).sort();
  const dumped: string[] = [];
  for (const table of tables.filter((name) => !NOT_DATA.has(name))) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(query);
    dumped.push(`${table}\n${rows.map(rowText).sort().join('\n')}`);
  }
  return dumped.join('\n\n');
}

function rowText(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
