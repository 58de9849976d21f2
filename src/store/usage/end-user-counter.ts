import { type CompiledQuery, type Insertable, type Kysely, sql } from 'kysely';
import { preparedInsert } from '../query/prepared.js';
import type { EndUserTable } from '../schema/attribution-schema.js';
import type { Tables } from '../schema/schema.js';

type EndUserRow = Insertable<EndUserTable>;

/** Makes the statements that count requests of end users; those of one end user are added up first. */
export function createEndUserCounter(
  db: Kysely<Tables>,
): (rows: readonly EndUserRow[]) => readonly CompiledQuery[] {
  const add = preparedInsert(db, 'end_user', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['api_key_hash', 'name']).doUpdateSet({
        requests: sql.raw<never>('end_user.requests + excluded.requests'),
        last_at: sql.raw<never>(
          'case when excluded.last_at > end_user.last_at then excluded.last_at else end_user.last_at end',
        ),
      }),
    ),
  );
  return (rows) => add(summed(rows));
}

function summed(rows: readonly EndUserRow[]): EndUserRow[] {
  const byUser = new Map<string, EndUserRow>();
  for (const row of rows) {
    const key = `${row.api_key_hash}/${row.name}`;
    const sum = byUser.get(key);
    if (sum === undefined) byUser.set(key, { ...row });
    else {
      sum.requests += row.requests;
      sum.last_at = Math.max(sum.last_at, row.last_at);
    }
  }
  return [...byUser.values()];
}
