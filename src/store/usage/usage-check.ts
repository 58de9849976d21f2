import { sql } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import type { Database } from '../database.js';
import { droppedBefore } from '../retention/dropped-before.js';
import { dayOf, USAGE_KEY, USAGE_OF_GENERATION, USAGE_SUM_NAMES } from './usage-rollup.js';

/** One wrong day may be wrong in all rollups. */
const MAX_REPORTED = 100;

/** The start of a day; the rollups of earlier ones have outlived their generations. */
const DROPPED_BEFORE = droppedBefore('generation');

/** Rollups that do not equal the generations that they sum, one line each (`byway db check`). */
export async function usageViolations({ query }: Database): Promise<string[]> {
  const key = sql.join(USAGE_KEY.map((name) => sql.ref(name)));
  const sums = USAGE_SUM_NAMES.map((name) => sql.ref(name));
  const negative = USAGE_SUM_NAMES.map((name) => sql`-${sql.ref(name)}`);
  const differs = USAGE_SUM_NAMES.map((name) => sql`sum(${sql.ref(name)}) <> 0`);
  const { rows } = await sql<{
    account_id: string;
    reverse_day: number;
    api_key_hash: string;
    model: string;
  }>`
    select account_id, reverse_day, api_key_hash, model from (
      select ${key}, ${sql.join(sums)} from (
        select ${USAGE_OF_GENERATION} from generation as g
        left join usage_fill as f on f.account_id = g.account_id
        where g.created_at >= ${DROPPED_BEFORE}
          and (g.status is not null or f.account_id is null or (g.created_at, g.id) <= (f.created_at, f.id))
      ) as counted
      union all select ${key}, ${sql.join(negative)} from usage_rollup
        where reverse_day <= -(${DROPPED_BEFORE} / ${sql.lit(DAY_MS)})
    ) as both_sides
    group by ${key} having ${sql.join(differs, sql` or `)}
    limit ${MAX_REPORTED}`.execute(query);
  return rows.map(({ account_id, reverse_day, api_key_hash, model }) => {
    const day = new Date(dayOf(reverse_day)).toISOString().slice(0, 10);
    return `usage of ${model} by key ${api_key_hash} of account ${account_id} on ${day} differs from its generations`;
  });
}
