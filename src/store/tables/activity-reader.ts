import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ActivityReader, ActivityRow, ActivityWindow } from '../../accounts/activity.js';
import type { Database } from '../database.js';
import { countUpToBound } from '../read-page.js';
import type { Tables } from '../schema.js';
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
      const isFilled = await isWhollyCounted(reports, accountId);
      const usage = isFilled ? sql<UsageRollupTable>`usage_rollup` : withUncounted(accountId);
      const grouped = groupedUsage(reports, usage, accountId, window);
      const ordered = GROUP.reduce((query, column) => query.orderBy(column), grouped);
      const rows = await ordered.limit(window.limit).offset(window.offset).execute();
      return {
        records: rows.map(activityRow),
        ...(await countUpToBound(reports, grouped.clearSelect().select(GROUP))),
      };
    },
  };
}

/** A prefix of the primary key, so that a page is read without sorting. */
const GROUP = ['reverse_day', 'model', 'provider', 'workspace_id', 'api_key_hash'] as const;

type GroupedRow = Awaited<ReturnType<ReturnType<typeof groupedUsage>['execute']>>[number];

function groupedUsage(
  db: Kysely<Tables>,
  usage: RawBuilder<UsageRollupTable>,
  accountId: string,
  window: ActivityWindow,
) {
  const { fromMs, beforeMs, apiKeyHash, workspaceId } = window;
  return db
    .selectFrom(usage.as('used'))
    .where('account_id', '=', accountId)
    .$if(fromMs !== null, (query) => query.where('reverse_day', '<=', reverseDayOf(fromMs ?? 0)))
    .$if(beforeMs !== null, (query) => query.where('reverse_day', '>', reverseDayOf(beforeMs ?? 0)))
    .$if(apiKeyHash !== null, (query) => query.where('api_key_hash', '=', apiKeyHash))
    .$if(workspaceId !== null, (query) => query.where('workspace_id', '=', workspaceId))
    .groupBy(GROUP)
    .select(GROUP)
    .select((eb) => [
      eb.fn.sum<number>('requests').as('requests'),
      eb.fn.sum<number>('tokens_prompt').as('tokens_prompt'),
      eb.fn.sum<number>('tokens_completion').as('tokens_completion'),
      eb.fn.sum<number>('tokens_reasoning').as('tokens_reasoning'),
      eb.fn.sum<bigint>('usage_nano_usd').as('usage_nano_usd'),
      eb.fn.sum<bigint>('byok_usage_nano_usd').as('byok_usage_nano_usd'),
    ]);
}

async function isWhollyCounted(db: Kysely<Tables>, accountId: string): Promise<boolean> {
  const mark = db.selectFrom('usage_fill').select('account_id').where('account_id', '=', accountId);
  return (await mark.executeTakeFirst()) === undefined;
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

function activityRow(row: GroupedRow): ActivityRow {
  return {
    date: new Date(dayOf(row.reverse_day)).toISOString().slice(0, 10),
    model: row.model,
    provider: row.provider === '' ? null : row.provider,
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    requests: row.requests,
    promptTokens: row.tokens_prompt,
    completionTokens: row.tokens_completion,
    reasoningTokens: row.tokens_reasoning,
    usageNanoUsd: row.usage_nano_usd,
    byokUsageNanoUsd: row.byok_usage_nano_usd,
  };
}
