import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { UsageDailyTable } from '../schema/usage-schema.js';
import { USAGE_SUM_NAMES, type UsageRow } from './usage-rollup.js';

type DailyRow = Insertable<UsageDailyTable>;

/** What a row of `usage_daily` is of, in the order of its primary key. */
export const USAGE_DAILY_KEY = [
  'account_id',
  'workspace_id',
  'reverse_day',
  'model',
  'provider',
  'api',
  'is_byok',
] as const satisfies readonly (keyof UsageDailyTable)[];

/** In the place of a workspace: all of them. */
export const ALL_WORKSPACES = '';

/** What the rollup adds to `usage_daily`. */
export function dailyRows(rollup: UsageRow): DailyRow[] {
  return [dailyRow(rollup, rollup.workspace_id), dailyRow(rollup, ALL_WORKSPACES)];
}

/** Member by member: V8 takes much longer to copy what is left of a row without some of its members. */
function dailyRow(rollup: UsageRow, workspaceId: string): DailyRow {
  return {
    account_id: rollup.account_id,
    workspace_id: workspaceId,
    reverse_day: rollup.reverse_day,
    model: rollup.model,
    provider: rollup.provider,
    api: rollup.api,
    is_byok: rollup.is_byok,
    requests: rollup.requests,
    refused: rollup.refused,
    failed: rollup.failed,
    tokens_prompt: rollup.tokens_prompt,
    tokens_completion: rollup.tokens_completion,
    tokens_reasoning: rollup.tokens_reasoning,
    tokens_cached: rollup.tokens_cached,
    usage_nano_usd: rollup.usage_nano_usd,
    byok_usage_nano_usd: rollup.byok_usage_nano_usd,
    byok_fee_nano_usd: rollup.byok_fee_nano_usd,
    latency_ms_sum: rollup.latency_ms_sum,
    latency_count: rollup.latency_count,
    first_token_ms_sum: rollup.first_token_ms_sum,
    first_token_count: rollup.first_token_count,
  };
}

/** The columns of `usage_daily`, from rows that have them and are each of one workspace. */
export function dailyUsageOf(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const ofRows = sql.join([...USAGE_DAILY_KEY.slice(2), ...USAGE_SUM_NAMES].map((name) => sql.ref(name)));
  return sql`
    select account_id, case when scope.is_all = 1 then ${sql.lit(ALL_WORKSPACES)} else workspace_id end as workspace_id,
      ${ofRows}
    from ${rows} cross join (select 0 as is_all union all select 1) as scope`;
}

/** The workspaces that the account has usage of, found one by one in the primary key. */
export function workspacesWithUsage(accountId: RawBuilder<unknown>): RawBuilder<string> {
  const next = (after: RawBuilder<unknown>) => sql`(
    select daily.workspace_id from usage_daily as daily
    where daily.account_id = ${accountId} and daily.workspace_id > ${after}
    order by daily.workspace_id limit 1
  )`;
  return sql`(
    with recursive named(workspace_id) as (
      select ${next(sql.lit(ALL_WORKSPACES))}
      union all select ${next(sql`named.workspace_id`)} from named where named.workspace_id is not null
    )
    select workspace_id from named where workspace_id is not null
  )`;
}
