import { type CompiledQuery, type Insertable, type Kysely, sql } from 'kysely';
import { preparedInsert } from '../query/prepared.js';
import { keyText, sumByKey } from '../query/sum-by-key.js';
import type { EndUserTable } from '../schema/attribution-schema.js';
import type { Tables } from '../schema/schema.js';

type EndUserRow = Insertable<EndUserTable>;

const KEY = keyText<EndUserRow>(['api_key_hash', 'name']);

/** Makes the statements that count requests of end users; those of one end user are added up first. */
export function createEndUserCounter(
  db: Kysely<Tables>,
): (rows: readonly EndUserRow[]) => readonly CompiledQuery[] {
  const insert = preparedInsert(db, 'end_user', (rows) =>
    rows.onConflict((conflict) =>
      conflict.columns(['api_key_hash', 'name']).doUpdateSet({
        requests: sql.raw<never>('end_user.requests + excluded.requests'),
        last_at: sql.raw<never>(
          'case when excluded.last_at > end_user.last_at then excluded.last_at else end_user.last_at end',
        ),
      }),
    ),
  );
  return (rows) => insert(sumByKey(rows, KEY, add));
}

function add(sum: EndUserRow, { requests, last_at }: EndUserRow): void {
  sum.requests += requests;
  sum.last_at = Math.max(sum.last_at, last_at);
}
