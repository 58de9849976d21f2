import type { Kysely } from 'kysely';
import {
  ACTIVITY_GROUPS,
  type ActivityGroup,
  type ActivityRange,
  type ActivityReader,
  type ActivityRow,
} from '../../accounts/activity.js';
import { HOUR_MS } from '../../base/clock.js';
import type { Database } from '../database/database.js';
import { countUpToBound } from '../query/read-page.js';
import type { UsageAttributionTable } from '../schema/attribution-schema.js';
import type { Tables } from '../schema/schema.js';
import { dayOf } from '../usage/usage-rollup.js';
import { ofWindow, type UsageSource, usageSource } from '../usage/usage-source.js';

export function createActivityReader(database: Database): ActivityReader {
  return {
    async readActivity(accountId, window) {
      const columns = columnsOf(window.groupBy);
      const reports = database.reports(accountId);
      const source = await usageSource(reports, accountId, window, columns);
      const grouped = groupedUsage(reports, source, accountId, window);
      const ordered = columns.reduce(
        (query, column) => query.orderBy(column, column === 'hour' ? 'desc' : 'asc'),
        grouped.select(columns),
      );
      const rows = await ordered.limit(window.limit).offset(window.offset).execute();
      return {
        records: rows.map((row) => activityRow(row, window.groupBy)),
        ...(await countUpToBound(reports, grouped.clearSelect().select(columns))),
      };
    },
  };
}

/** In the order of a list, which for the default groups is that of the primary key: their page is read without sorting. */
const COLUMNS = {
  date: ['reverse_day'],
  hour: ['reverse_day', 'hour'],
  model: ['model'],
  provider: ['provider'],
  workspace: ['workspace_id'],
  api_key: ['api_key_hash'],
  user: ['user_id'],
  api: ['api'],
  run: ['run', 'run_id'],
  agent: ['agent_id'],
  end_user: ['end_user'],
} as const satisfies Record<ActivityGroup, readonly (keyof UsageAttributionTable)[]>;

type Column = (typeof COLUMNS)[ActivityGroup][number];

function columnsOf(groups: readonly ActivityGroup[]): Column[] {
  return [
    ...new Set(ACTIVITY_GROUPS.filter((group) => groups.includes(group)).flatMap((group) => COLUMNS[group])),
  ];
}

type GroupedRow = Awaited<ReturnType<ReturnType<typeof groupedUsage>['execute']>>[number] &
  Partial<Pick<UsageAttributionTable, Column>>;

function groupedUsage(
  db: Kysely<Tables>,
  { usage, workspaces }: UsageSource,
  accountId: string,
  window: ActivityRange,
) {
  return db
    .selectFrom(usage.as('used'))
    .where('account_id', '=', accountId)
    .where(workspaces)
    .where(ofWindow(window))
    .groupBy(columnsOf(window.groupBy))
    .having(({ fn }) => fn.sum('requests'), '<>', 0)
    .select((eb) => [
      eb.fn.sum<number>('requests').as('requests'),
      eb.fn.sum<number>('refused').as('refused'),
      eb.fn.sum<number>('failed').as('failed'),
      eb.fn.sum<number>('tokens_prompt').as('tokens_prompt'),
      eb.fn.sum<number>('tokens_completion').as('tokens_completion'),
      eb.fn.sum<number>('tokens_reasoning').as('tokens_reasoning'),
      eb.fn.sum<number>('tokens_cached').as('tokens_cached'),
      eb.fn.sum<bigint>('usage_nano_usd').as('usage_nano_usd'),
      eb.fn.sum<bigint>('byok_usage_nano_usd').as('byok_usage_nano_usd'),
      eb.fn.sum<bigint>('byok_fee_nano_usd').as('byok_fee_nano_usd'),
      eb.fn.sum<number>('latency_ms_sum').as('latency_ms_sum'),
      eb.fn.sum<number>('latency_count').as('latency_count'),
      eb.fn.sum<number>('first_token_ms_sum').as('first_token_ms_sum'),
      eb.fn.sum<number>('first_token_count').as('first_token_count'),
    ]);
}

function activityRow(row: GroupedRow, groups: readonly ActivityGroup[]): ActivityRow {
  const { reverse_day: reverseDay, hour } = row;
  const isOf = (group: ActivityGroup) => groups.includes(group);
  const startMs = reverseDay === undefined ? 0 : dayOf(reverseDay);
  return {
    date: isOf('date') ? new Date(startMs).toISOString().slice(0, 10) : undefined,
    hour:
      hour === undefined ? undefined : `${new Date(startMs + hour * HOUR_MS).toISOString().slice(0, 19)}Z`,
    model: row.model,
    provider: nullOf(row.provider),
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    userId: row.user_id,
    api: row.api,
    runId: nullOf(row.run_id),
    run: nullOf(row.run),
    agentId: nullOf(row.agent_id),
    endUser: nullOf(row.end_user),
    requests: row.requests,
    refused: row.refused,
    failed: row.failed,
    promptTokens: row.tokens_prompt,
    completionTokens: row.tokens_completion,
    reasoningTokens: row.tokens_reasoning,
    cachedTokens: row.tokens_cached,
    usageNanoUsd: row.usage_nano_usd,
    byokUsageNanoUsd: row.byok_usage_nano_usd,
    byokFeeNanoUsd: row.byok_fee_nano_usd,
    latencyMs: mean(row.latency_ms_sum, row.latency_count),
    firstTokenMs: mean(row.first_token_ms_sum, row.first_token_count),
  };
}

/** What is empty in a rollup is nothing. */
function nullOf(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

/** To the microsecond. */
function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round((sum / count) * 1_000) / 1_000;
}
