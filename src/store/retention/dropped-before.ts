import { type RawBuilder, sql } from 'kysely';
import type { RetentionTable } from './retention-schema.js';

/** The instant from which on the rows of a table are whole, within a statement: it may move meanwhile. */
export function droppedBefore(table: RetentionTable['dropped_table']): RawBuilder<number> {
  return sql`coalesce((select dropped_before from retention where dropped_table = ${sql.lit(table)}), 0)`;
}
