import { type RawBuilder, sql } from 'kysely';
import type { RetentionTable } from '../schema/retention-schema.js';

/** The instant from which on the rows of a table are whole, within a statement: it may move meanwhile. */
export function droppedBefore(table: RetentionTable['dropped_table']): RawBuilder<number> {
  return retainedSince(table, 0);
}

/** The later of `droppedBefore` and an instant: one bound, since of two SQLite may search by the earlier one. */
export function retainedSince(table: RetentionTable['dropped_table'], from: number): RawBuilder<number> {
  const dropped = sql`
    select dropped_before from retention where dropped_table = ${sql.lit(table)} and dropped_before > ${from}`;
  return sql`coalesce((${dropped}), ${from})`;
}
