import { RUN_LIFE_MS } from '../../ledger/runs.js';
import type { Database } from '../database/database.js';
import { accountLock } from '../ledger/account-lock.js';
import { deleteRuns } from '../ledger/run-store.js';

/** Deleting them blocks SQLite's event loop for some 5 ms. */
const PIECE_ROWS = 200;

/** Drops a piece of the runs that have ended at `now` (Unix milliseconds); resolves to how many. */
export async function dropRuns(database: Database, now: number): Promise<number> {
  const before = now - RUN_LIFE_MS;
  const ended = await database.query
    .selectFrom('run')
    .select(['id', 'account_id'])
    .where('last_at', '<=', before)
    .orderBy('last_at')
    .limit(PIECE_ROWS)
    .execute();
  for (const accountId of new Set(ended.map(({ account_id }) => account_id))) {
    const own = ended.filter(({ account_id }) => account_id === accountId).map(({ id }) => id);
    await database.transactWithLocks([accountLock(accountId)], async (db) => {
      // One may have had a request meanwhile.
      const still = db.selectFrom('run').select('id').where('last_at', '<=', before).where('id', 'in', own);
      const ids = (await still.execute()).map(({ id }) => id);
      if (ids.length > 0) await deleteRuns(db, ids);
      return { result: undefined, writes: [] };
    });
  }
  return ended.length;
}
