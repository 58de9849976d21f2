/** Checks in the database the preconditions of decisions that were made on cached balances and reservations. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Precondition } from '../../ledger/admission.js';
import { INTERVALS } from '../../ledger/windows.js';
import { preparedList } from '../query/prepared.js';
import type { Tables } from '../schema/schema.js';
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
  return [subject, kind, interval ?? 'ever', start, min ?? MIN_AMOUNT, max ?? MAX_AMOUNT];
}

const PRECONDITION_TYPES = ['text', 'text', 'text', 'bigint', 'bigint', 'bigint'] as const;

/** Every change of a reservation increases its sum. */
function reservationRow({ id, sum_nano_usd }: ReservationRow): readonly unknown[] {
  return [id, sum_nano_usd];
}

const RESERVATION_TYPES = ['text', 'bigint'] as const;

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

/** `balanceValue` of `src/ledger/balance.ts` in SQL, on a row `t` and a `demand`. */
const BALANCE_VALUE = sql.raw(`
  case demand.column2
    when 'credit' then ${spent('credit')} + t.reserved_credit_nano_usd
    when 'both' then ${spent('credit')} + ${spent('byok')} + t.reserved_sum_nano_usd
    when 'owed' then ${spent('credit')} + t.reserved_credit_nano_usd - t.top_up_nano_usd
    when 'byok' then ${spent('byok')} + t.reserved_byok_nano_usd
    when 'settled_byok' then case
      when t.monthly_start = demand.column4 then t.monthly_byok_nano_usd
      when t.previous_monthly_start = demand.column4 then t.previous_monthly_byok_nano_usd
      when t.previous_monthly_start < demand.column4 then 0 end
  end`);

/** `spentSince` of `src/ledger/recent-windows.ts` in SQL. */
function spent(spend: 'credit' | 'byok'): string {
  const since = (window: string) =>
    `case when t.${window}_start >= demand.column4 then t.${window}_${spend}_nano_usd else 0 end`;
  const windows = INTERVALS.map(
    (interval) => `when '${interval}' then ${since(interval)} + ${since(`previous_${interval}`)}`,
  );
  return `case demand.column3 ${windows.join(' ')} else t.${spend}_nano_usd end`;
}

const MET_PRECONDITION = sql`
  select 1 from spend_total as t
  where t.subject = demand.column1 and ${BALANCE_VALUE} between demand.column5 and demand.column6`;

const UNCHANGED_RESERVATION = sql`
  select 1 from reservation as r
  where r.id = demand.column1 and r.sum_nano_usd = demand.column2`;
