import type { CompiledQuery, Insertable, Kysely } from 'kysely';
import type { Tables } from './schema.js';

/**
 * An insert that is built and compiled once, with the first row: doing so anew costs more than running it. Every row
 * must be an object literal of the same members in the same order.
 */
export function preparedInsert<T extends keyof Tables>(
  table: T,
): (db: Kysely<Tables>, row: Insertable<Tables[T]>) => Promise<void> {
  let compiled: CompiledQuery | undefined;
  return async (db, row) => {
    compiled ??= db.insertInto(table).values(row).compile();
    await db.executeQuery({ ...compiled, parameters: Object.values(row) });
  };
}
