import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { preparedInsert } from '../query/prepared.js';
import { keyText, sumByKey } from '../query/sum-by-key.js';
import type { Tables } from '../schema/schema.js';
import { USAGE_ATTRIBUTION_KEY, type UsageAttributionRow } from './usage-attribution.js';
import { dailyRows, USAGE_DAILY_KEY } from './usage-daily.js';
import { USAGE_KEY, USAGE_SUM_NAMES, type UsageRow } from './usage-rollup.js';

/** Makes the statements that add rows to the rollups and to the usage by day; rows of the same sums are added up first. */
export function createUsageCounter(
  db: Kysely<Tables>,
): (rows: readonly UsageRow[]) => readonly CompiledQuery[] {
  const addRollups = preparedInsert(db, 'usage_rollup', (insert) =>
    insert.onConflict((conflict) => conflict.columns([...USAGE_KEY]).doUpdateSet(ADDED_TO_ROLLUP)),
  );
  const addDays = preparedInsert(db, 'usage_daily', (insert) =>
    insert.onConflict((conflict) => conflict.columns([...USAGE_DAILY_KEY]).doUpdateSet(ADDED_TO_DAY)),
  );
  return (rows) => {
    const rollups = summed(rows, USAGE_KEY);
    return [...addRollups(rollups), ...addDays(summed(rollups.flatMap(dailyRows), USAGE_DAILY_KEY))];
  };
}

/** As `createUsageCounter`, for usage by run, agent and end user. */
export function createAttributionCounter(
  db: Kysely<Tables>,
): (rows: readonly UsageAttributionRow[]) => readonly CompiledQuery[] {
  const add = preparedInsert(db, 'usage_attribution', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns([...USAGE_ATTRIBUTION_KEY]).doUpdateSet(addedTo('usage_attribution')),
    ),
  );
  return (rows) => add(summed(rows, USAGE_ATTRIBUTION_KEY));
}

type Sums = Pick<UsageRow, (typeof USAGE_SUM_NAMES)[number]>;

function summed<R extends Sums>(rows: readonly R[], key: readonly (keyof R)[]): readonly R[] {
  return sumByKey(rows, keyText(key), add);
}

function add(sum: Record<keyof Sums, number | bigint>, row: Sums): void {
  for (const name of USAGE_SUM_NAMES) sum[name] = plus(sum[name], row[name]);
}

function plus(a: number | bigint, b: number | bigint): number | bigint {
  return typeof a === 'bigint' ? a + BigInt(b) : a + Number(b);
}

/** The sums of a stored rollup and those of an insert that conflicts with it. */
export const ADDED_TO_ROLLUP = {
  ...addedTo('usage_rollup'),
  daily_flip: sql.raw<never>('1 - usage_rollup.daily_flip'),
};

/** As `ADDED_TO_ROLLUP`. */
export const ADDED_TO_DAY = addedTo('usage_daily');

function addedTo(table: 'usage_rollup' | 'usage_daily' | 'usage_attribution') {
  return Object.fromEntries(
    USAGE_SUM_NAMES.map((name) => [name, sql.raw<never>(`${table}.${name} + excluded.${name}`)]),
  );
}
