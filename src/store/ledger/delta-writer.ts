import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { type BalanceDelta, emptyBalance } from '../../ledger/balance.js';
import { INTERVALS } from '../../ledger/windows.js';
import { preparedInsert } from '../engine/prepared.js';
import type { Tables } from '../schema.js';
import { totalRow } from './ledger-rows.js';

/** Makes statements that add deltas to the stored totals, whatever their values are by then. */
export function createDeltaWriter(
  db: Kysely<Tables>,
): (deltas: ReadonlyMap<string, BalanceDelta>) => readonly CompiledQuery[] {
  const upsert = preparedInsert(db, 'spend_total', (insert) =>
    insert.onConflict((conflict) => conflict.column('subject').doUpdateSet(NEW_TOTALS)),
  );
  return (deltas) => upsert([...deltas].map(([subject, delta]) => totalRow(subject, delta)));
}

/** `applyDelta` of `src/ledger/balance.ts` in SQL, on the existing row and the one that conflicts with it. */
const NEW_TOTALS = Object.fromEntries(
  Object.keys(totalRow('', emptyBalance('')))
    .filter((column) => column !== 'subject')
    .map((column) => {
      const interval = INTERVALS.find((name) => column.startsWith(name));
      const [was, by] = [`spend_total.${column}`, `excluded.${column}`];
      if (interval === undefined) return [column, sql.raw<never>(`${was} + ${by}`)];
      const [start, byStart] = [`spend_total.${interval}_start`, `excluded.${interval}_start`];
      const same = column.endsWith('_start') ? was : `${was} + ${by}`;
      const after = `case when ${start} = ${byStart} then ${same} when ${start} > ${byStart} then ${was} else ${by} end`;
      return [column, sql.raw<never>(after)];
    }),
);
