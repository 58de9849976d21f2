import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import type { Tables } from '../schema/schema.js';

/** Deleting them blocks SQLite's event loop for some milliseconds. */
const PIECE_ROWS = 200;

/**
 * Drops a piece of the terms that no record refers to once those from before an instant (Unix milliseconds, the start of a
 * UTC day) are dropped; resolves to how many.
 */
export async function dropTerms(db: Kysely<Tables>, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from billing_terms where id in (
      select id from billing_terms where used_on < ${Math.floor(before / DAY_MS)} limit ${sql.lit(PIECE_ROWS)})
    and used_on < ${Math.floor(before / DAY_MS)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
