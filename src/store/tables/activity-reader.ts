import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  ACTIVITY_GROUPS,
  type ActivityGroup,
  type ActivityReader,
  type ActivityRow,
  type ActivityWindow,
} from '../../accounts/activity.js';
import { HOUR_MS } from '../../base/clock.js';
import type { Database } from '../database.js';
import { countUpToBound } from '../read-page.js';
import type { Tables } from '../schema.js';
import { ALL_WORKSPACES, workspacesWithUsage } from '../usage/usage-daily.js';
import {
  dayOf,
  reverseDayOf,
  USAGE_KEY,
  USAGE_OF_GENERATION,
  USAGE_SUM_NAMES,
} from '../usage/usage-rollup.js';
import type { UsageRollupTable } from '../usage/usage-schema.js';

export function createActivityReader({ reports }: Database): ActivityReader {
  return {
    async readActivity(accountId, window) {
      const grouped = groupedUsage(reports, await sourceOf(reports, accountId, window), accountId, window);
      const columns = columnsOf(window.groupBy);
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
} as const satisfies Record<ActivityGroup, readonly (keyof UsageRollupTable)[]>;

type Column = (typeof COLUMNS)[ActivityGroup][number];

function columnsOf(groups: readonly ActivityGroup[]): Column[] {
  return [
    ...new Set(ACTIVITY_GROUPS.filter((group) => groups.includes(group)).flatMap((group) => COLUMNS[group])),
  ];
}

type GroupedRow = Awaited<ReturnType<ReturnType<typeof groupedUsage>['execute']>>[number] &
  Partial<Pick<UsageRollupTable, Column>>;

function groupedUsage(
  db: Kysely<Tables>,
  { usage, workspaces }: Source,
  accountId: string,
  window: ActivityWindow,
) {
  return db
    .selectFrom(usage.as('used'))
    .where('account_id', '=', accountId)
    .where(workspaces)
    .where(ofWindow(window))
    .groupBy(columnsOf(window.groupBy))
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

interface Source {
  /** Has the columns that are asked for. */
  readonly usage: RawBuilder<UsageRollupTable>;
  readonly workspaces: RawBuilder<boolean>;
}

/** The smallest table that has what is asked for. */
async function sourceOf(db: Kysely<Tables>, accountId: string, window: ActivityWindow): Promise<Source> {
  const lacking = await lackingTables(db, accountId);
  const { workspaceId } = window;
  if (lacking.size === 0 && isOfDays(window)) {
    return { usage: sql`usage_daily`, workspaces: workspacesOfDays(accountId, window) };
  }
  return {
    usage: lacking.has('usage_rollup') ? withUncounted(accountId) : rollupsOf(accountId, window),
    workspaces: workspaceId === null ? sql`true` : sql`workspace_id = ${workspaceId}`,
  };
}

/**
 * Those of one key are found in the index of keys, and then read one by one: SQLite would read those of all keys in the
 * order that is asked for.
 */
function rollupsOf(accountId: string, window: ActivityWindow): RawBuilder<UsageRollupTable> {
  if (window.apiKeyHash === null) return sql`usage_rollup`;
  const columns = sql.join(USAGE_KEY.map((name) => sql.ref(name)));
  const same = sql.join(
    USAGE_KEY.map((name) => sql`${sql.ref(`rollup.${name}`)} = ${sql.ref(`of_key.${name}`)}`),
    sql` and `,
  );
  return sql`(
    with of_key as materialized (
      select ${columns} from usage_rollup
      where account_id = ${accountId} and ${ofWindow(window)}
    )
    select rollup.* from of_key join usage_rollup as rollup on ${same}
  )`;
}

/** The days and the key. */
function ofWindow({ fromMs, beforeMs, apiKeyHash }: ActivityWindow): RawBuilder<boolean> {
  const conditions = [
    ...(fromMs === null ? [] : [sql`reverse_day <= ${reverseDayOf(fromMs)}`]),
    ...(beforeMs === null ? [] : [sql`reverse_day > ${reverseDayOf(beforeMs)}`]),
    ...(apiKeyHash === null ? [] : [sql`api_key_hash = ${apiKeyHash}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** Those that do not have all usage of the account yet. */
async function lackingTables(db: Kysely<Tables>, accountId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ lacking: string }>`
    select 'usage_rollup' as lacking from usage_fill where account_id = ${accountId}
    union all select 'usage_daily' from usage_daily_fill where account_id = ${accountId}`.execute(db);
  return new Set(rows.map(({ lacking }) => lacking));
}

const FINER_THAN_DAYS: readonly ActivityGroup[] = ['hour', 'api_key', 'user'];

function isOfDays({ groupBy, apiKeyHash }: ActivityWindow): boolean {
  return apiKeyHash === null && !groupBy.some((group) => FINER_THAN_DAYS.includes(group));
}

/** A range of days of each of these is one of the primary key. */
function workspacesOfDays(accountId: string, { groupBy, workspaceId }: ActivityWindow): RawBuilder<boolean> {
  if (workspaceId === null && groupBy.includes('workspace')) {
    return sql`workspace_id in ${workspacesWithUsage(sql`${accountId}`)}`;
  }
  return sql`workspace_id = ${workspaceId ?? ALL_WORKSPACES}`;
}

/** The rollups of the account and the generations that are not in them yet, in one statement and so in one snapshot. */
function withUncounted(accountId: string): RawBuilder<UsageRollupTable> {
  const columns = sql.join([...USAGE_KEY, ...USAGE_SUM_NAMES].map((name) => sql.ref(name)));
  return sql`(
    select ${columns} from usage_rollup where account_id = ${accountId}
    union all
    select ${USAGE_OF_GENERATION} from usage_fill as f
    join generation as g on g.account_id = f.account_id and (g.created_at, g.id) > (f.created_at, f.id)
    where f.account_id = ${accountId} and g.status is null
  )`;
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
    provider: row.provider === '' ? null : row.provider,
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    userId: row.user_id,
    api: row.api,
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

/** To the microsecond. */
function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round((sum / count) * 1_000) / 1_000;
}
