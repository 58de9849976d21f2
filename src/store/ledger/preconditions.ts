/** Checks in the database the preconditions of decisions that were made on cached balances and reservations. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Precondition } from '../../ledger/admission.js';
import { preparedList } from '../query/prepared.js';
import type { Tables } from '../schema/schema.js';
import { balanceValueSql, NO_INTERVAL } from './balance-sql.js';
import type { LedgerTransaction, ReservationRow } from './ledger-transaction.js';

/** Makes queries that find a row when a precondition fails. */
export function createPreconditionQueries(
  db: Kysely<Tables>,
): (assumptions: LedgerTransaction['assumptions']) => readonly CompiledQuery[] {
  const failed = unmet(MET_PRECONDITION, preconditionRow, PRECONDITION_TYPES);
  const changed = unmet(UNCHANGED_RESERVATION, reservationRow, RESERVATION_TYPES);
  return ({ preconditions, reservations }) => [
    ...(preconditions.length === 0 ? [] : [failed(db, preconditions)]),
    ...(reservations.length === 0 ? [] : [changed(db, reservations)]),
  ];
}

/** A query that finds a row for each item, as the row `demand`, for which `met` finds none. */
function unmet<T>(
  met: RawBuilder<unknown>,
  rowOf: (item: T) => readonly unknown[],
  types: readonly ColumnType[],
) {
  const build = (db: Kysely<Tables>, items: readonly T[]) =>
    sql`
      select 1 as one from (values ${rows(items.map(rowOf), types)}) as demand
      where not exists (${met})
    `.compile(db);
  return preparedList(build, rowOf);
}

/** The range of a bigint column. */
const [MIN_AMOUNT, MAX_AMOUNT] = [-(2n ** 63n), 2n ** 63n - 1n];

function preconditionRow({ selector, min, max }: Precondition): readonly unknown[] {
  const { subject, kind, interval, start } = selector;
  return [subject, kind, interval ?? NO_INTERVAL, start, min ?? MIN_AMOUNT, max ?? MAX_AMOUNT];
}

const PRECONDITION_TYPES = ['text', 'text', 'text', 'bigint', 'bigint', 'bigint'] as const;

/** Every change of a reservation increases one of its amounts. */
function reservationRow(row: ReservationRow): readonly unknown[] {
  return [row.id, row.credit_nano_usd, row.byok_nano_usd, row.sum_nano_usd];
}

const RESERVATION_TYPES = ['text', 'bigint', 'bigint', 'bigint'] as const;

type ColumnType = 'text' | 'bigint';

/** Rows of a `values` list; both engines name its columns `column1`, `column2`... */
function rows(values: readonly (readonly unknown[])[], types: readonly ColumnType[]): RawBuilder<unknown> {
  return sql.join(
    values.map((row) => {
      const columns = row.map((value, index) => sql`cast(${value} as ${sql.raw(types[index] ?? 'text')})`);
      return sql`(${sql.join(columns)})`;
    }),
  );
}

/** Of a row `t`, by the columns of `preconditionRow`. */
const BALANCE_VALUE = sql.raw(
  balanceValueSql({ kind: 'demand.column2', interval: 'demand.column3', start: 'demand.column4' }),
);

const MET_PRECONDITION = sql`
  select 1 from spend_total as t
  where t.subject = demand.column1 and ${BALANCE_VALUE} between demand.column5 and demand.column6`;

const UNCHANGED_RESERVATION = sql`
  select 1 from reservation as r
  where r.id = demand.column1 and r.credit_nano_usd = demand.column2
    and r.byok_nano_usd = demand.column3 and r.sum_nano_usd = demand.column4`;
