/** What speaks against a decision that was made on balances and reservations as they were remembered. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Precondition } from '../../ledger/preconditions.js';
import { INTERVALS } from '../../ledger/windows.js';
import { preparedList } from '../engine/prepared.js';
import type { Tables } from '../schema.js';
import type { LedgerTransaction, Reservation } from './ledger-transaction.js';

/** Gives queries that find a row where something does not hold of what a decision rests on. */
export function createPreconditionQueries(
  db: Kysely<Tables>,
): (assumptions: LedgerTransaction['assumptions']) => readonly CompiledQuery[] {
  const unmet = without(MET_PRECONDITION, preconditionRow, PRECONDITION_TYPES);
  const ended = without(UNCHANGED_RESERVATION, reservationRow, RESERVATION_TYPES);
  return ({ preconditions, reservations }) => [
    ...(preconditions.length === 0 ? [] : [unmet(db, preconditions)]),
    ...(reservations.length === 0 ? [] : [ended(db, reservations)]),
  ];
}

/** Queries that find a row for each demand of these columns for which `met` finds none. */
function without<T>(
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

/** Further apart than any two amounts that a column holds. */
const [MIN_AMOUNT, MAX_AMOUNT] = [-(2n ** 63n), 2n ** 63n - 1n];

function preconditionRow({ selector, min, max }: Precondition): readonly unknown[] {
  const { subject, kind, interval, start } = selector;
  return [subject, kind, interval ?? 'ever', start, min ?? MIN_AMOUNT, max ?? MAX_AMOUNT];
}

const PRECONDITION_TYPES = ['text', 'text', 'text', 'bigint', 'bigint', 'bigint'] as const;

/** A reservation only ever grows, by more than nothing. */
function reservationRow({ id, sum_nano_usd }: Reservation): readonly unknown[] {
  return [id, sum_nano_usd];
}

const RESERVATION_TYPES = ['text', 'bigint'] as const;

type ColumnType = 'text' | 'bigint';

/** Rows of a table of values, whose columns both kinds of database call `column1` and so on. */
function rows(values: readonly (readonly unknown[])[], types: readonly ColumnType[]): RawBuilder<unknown> {
  return sql.join(
    values.map((row) => {
      const columns = row.map((value, index) => sql`cast(${value} as ${sql.raw(types[index] ?? 'text')})`);
      return sql`(${sql.join(columns)})`;
    }),
  );
}

/** `figureOf` of the spend part, of a row `t` and a `demand`. */
const BALANCE_VALUE = sql.raw(`
  case demand.column2
    when 'credit' then ${spent('credit')} + t.reserved_credit_nano_usd
    when 'both' then ${spent('credit')} + ${spent('byok')} + t.reserved_sum_nano_usd
    when 'owed' then ${spent('credit')} + t.reserved_credit_nano_usd - t.top_up_nano_usd
    when 'byok' then ${spent('byok')} + t.reserved_byok_nano_usd
    when 'settled_byok' then case when t.monthly_start <= demand.column4 then ${spent('byok')} end
  end`);

/** `spentWithin` of the spend part. */
function spent(spend: 'credit' | 'byok'): string {
  const windows = INTERVALS.map(
    (interval) => `when '${interval}' then
      case when t.${interval}_start >= demand.column4 then t.${interval}_${spend}_nano_usd else 0 end`,
  );
  return `case demand.column3 ${windows.join(' ')} else t.${spend}_nano_usd end`;
}

const MET_PRECONDITION = sql`
  select 1 from spend_total as t
  where t.subject = demand.column1 and ${BALANCE_VALUE} between demand.column5 and demand.column6`;

const UNCHANGED_RESERVATION = sql`
  select 1 from reservation as r
  where r.id = demand.column1 and r.sum_nano_usd = demand.column2`;
