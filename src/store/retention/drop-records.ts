import type { Kysely } from 'kysely';
import type { Tables } from '../schema.js';

/** Deleting them blocks SQLite's event loop for some 5 ms. */
const PIECE_ROWS = 200;

/** Resolves to how many it has dropped. Leaves an account alone whose generations are not all in the rollups yet. */
export async function dropRecords(db: Kysely<Tables>, accountId: string, before: number): Promise<number> {
  const filling = db.selectFrom('usage_fill').select('account_id').where('account_id', '=', accountId);
  if ((await filling.executeTakeFirst()) !== undefined) return 0;
  const oldest = db
    .selectFrom('generation')
    .select('id')
    .where('account_id', '=', accountId)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(PIECE_ROWS);
  const { numDeletedRows } = await db.deleteFrom('generation').where('id', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}
