import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/schema.js';

/** Deleting them blocks SQLite's event loop for some 5 ms. */
const PIECE_ROWS = 200;

/**
 * Drops a piece of the records of an account that are in the table, `generation` or a partition of it; resolves to how
 * many. Leaves an account alone whose generations are not all in the rollups yet.
 */
export async function dropRecords(
  db: Kysely<Tables>,
  table: string,
  accountId: string,
  before: number,
): Promise<number> {
  const filling = db.selectFrom('usage_fill').select('account_id').where('account_id', '=', accountId);
  if ((await filling.executeTakeFirst()) !== undefined) return 0;
  const records = sql.table(table);
  const { numAffectedRows } = await sql`
    delete from ${records} where id in (
      select id from ${records} where account_id = ${accountId} and created_at < ${before}
      order by created_at, id limit ${sql.lit(PIECE_ROWS)})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
