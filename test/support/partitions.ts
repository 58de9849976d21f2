import { sql } from 'kysely';
import type { Database } from '../../src/store/database/database.js';

/** Whether a table that the database lists is a partition, whose rows and columns are those of `generation`. */
export function isPartition(table: string): boolean {
  return table.startsWith('generation_');
}

/** Whether the database's records are in partitions, or can't be. */
export async function isPartitioned({ recordPartitions }: Database): Promise<boolean> {
  const tables = await recordPartitions?.tablesInPieces();
  return tables === undefined || !tables.includes('generation');
}

/** The id of a chat that the gateway was asked for at an instant; `end` is hexadecimal. */
export function idAt(ms: number, end = '0'): string {
  const time = ms.toString(16).padStart(12, '0');
  return `gen-${time.slice(0, 8)}-${time.slice(8)}-7abc-8abc-${end.padStart(12, '0')}`;
}

/** The partitions by name, each with how many records it has. */
export async function partitionSizes({ query }: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'generation'::regclass order by 1`.execute(query);
  const sizes: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`;
    sizes[name] = (await counted.execute(query)).rows[0]?.count ?? -1;
  }
  return sizes;
}
