import { sql } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import type { Database } from '../database/database.js';
import { droppedBefore } from '../query/dropped-before.js';
import {
  HAS_ATTRIBUTION,
  USAGE_ATTRIBUTION_KEY,
  USAGE_ATTRIBUTION_OF_GENERATION,
} from './usage-attribution.js';
import { ALL_WORKSPACES, dailyUsageOf, USAGE_DAILY_KEY } from './usage-daily.js';
import { dayOf, USAGE_KEY, USAGE_OF_GENERATION, USAGE_SUM_NAMES } from './usage-rollup.js';

/** One wrong day may be wrong in all rollups. */
const MAX_REPORTED = 100;

/** The start of a day; the rollups of earlier ones have outlived their generations. */
const DROPPED_BEFORE = droppedBefore('generation');

const SUMS = sql.join(USAGE_SUM_NAMES.map((name) => sql.ref(name)));
const NEGATIVE = sql.join(USAGE_SUM_NAMES.map((name) => sql`-${sql.ref(name)}`));
const DIFFERS = sql.join(
  USAGE_SUM_NAMES.map((name) => sql`sum(${sql.ref(name)}) <> 0`),
  sql` or `,
);

/**
 * Rollups, and usage by run, agent and end user, that do not equal the generations that they sum, usage by day that does not
 * equal the rollups, and counts of end users that do not equal their usage, one line each (`byway db check`).
 */
export async function usageViolations(database: Database): Promise<string[]> {
  return [
    ...(await rollupViolations(database)),
    ...(await dayViolations(database)),
    ...(await attributionViolations(database)),
    ...(await endUserViolations(database)),
  ];
}

async function rollupViolations({ query }: Database): Promise<string[]> {
  const key = sql.join(USAGE_KEY.map((name) => sql.ref(name)));
  const { rows } = await sql<{
    account_id: string;
    reverse_day: number;
    api_key_hash: string;
    model: string;
  }>`
    select account_id, reverse_day, api_key_hash, model from (
      select ${key}, ${SUMS} from (
        select ${USAGE_OF_GENERATION} from generation as g
        left join usage_fill as f on f.account_id = g.account_id
        where g.created_at >= ${DROPPED_BEFORE}
          and (g.status is not null or f.account_id is null or (g.created_at, g.id) <= (f.created_at, f.id))
      ) as counted
      union all select ${key}, ${NEGATIVE} from usage_rollup
        where reverse_day <= -(${DROPPED_BEFORE} / ${sql.lit(DAY_MS)})
    ) as both_sides
    group by ${key} having ${DIFFERS}
    limit ${MAX_REPORTED}`.execute(query);
  return rows.map(({ account_id, reverse_day, api_key_hash, model }) => {
    return `usage of ${model} by key ${api_key_hash} of account ${account_id} on ${dateOf(reverse_day)} differs from its generations`;
  });
}

async function dayViolations({ query }: Database): Promise<string[]> {
  const key = sql.join(USAGE_DAILY_KEY.map((name) => sql.ref(name)));
  const { rows } = await sql<{
    account_id: string;
    workspace_id: string;
    reverse_day: number;
    model: string;
  }>`
    select account_id, workspace_id, reverse_day, model from (
      select ${key}, ${SUMS} from (${dailyUsageOf(sql`usage_rollup`)}) as counted
      union all select ${key}, ${NEGATIVE} from usage_daily
    ) as both_sides
    where not exists (
      select 1 from usage_daily_fill as f
      where f.account_id = both_sides.account_id and f.reverse_day <= both_sides.reverse_day
    )
    group by ${key} having ${DIFFERS}
    limit ${MAX_REPORTED}`.execute(query);
  return rows.map(({ account_id, workspace_id, reverse_day, model }) => {
    const where = workspace_id === ALL_WORKSPACES ? 'all workspaces' : `workspace ${workspace_id}`;
    return `usage of ${model} in ${where} of account ${account_id} on ${dateOf(reverse_day)} differs from its rollups`;
  });
}

async function attributionViolations({ query }: Database): Promise<string[]> {
  const key = sql.join(USAGE_ATTRIBUTION_KEY.map((name) => sql.ref(name)));
  const { rows } = await sql<Record<'account_id' | 'run' | 'agent_id' | 'end_user', string>>`
    select account_id, run, agent_id, end_user from (
      select ${key}, ${SUMS} from (
        select ${USAGE_ATTRIBUTION_OF_GENERATION} from generation as g
        where g.created_at >= ${DROPPED_BEFORE} and ${HAS_ATTRIBUTION}
      ) as counted
      union all select ${key}, ${NEGATIVE} from usage_attribution
        where reverse_day <= -(${DROPPED_BEFORE} / ${sql.lit(DAY_MS)})
    ) as both_sides
    group by ${key} having ${DIFFERS}
    limit ${MAX_REPORTED}`.execute(query);
  return rows.map(({ account_id, ...names }) => {
    return `what ${JSON.stringify(names)} of account ${account_id} has used differs from its generations`;
  });
}

async function endUserViolations({ query }: Database): Promise<string[]> {
  const { rows } = await sql<{ api_key_hash: string; name: string }>`
    select api_key_hash, name from (
      select api_key_hash, end_user as name, requests from usage_attribution where end_user <> ''
      union all select api_key_hash, name, -requests from end_user
    ) as both_sides
    group by api_key_hash, name having sum(requests) <> 0
    limit ${MAX_REPORTED}`.execute(query);
  return rows.map(({ api_key_hash, name }) => {
    return `requests of the end user ${JSON.stringify(name)} of key ${api_key_hash} differ from their usage`;
  });
}

function dateOf(reverseDay: number): string {
  return new Date(dayOf(reverseDay)).toISOString().slice(0, 10);
}
