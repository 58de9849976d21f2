import { type Kysely, sql } from 'kysely';
import type { ActivityReader, ActivityRow, ActivityWindow } from '../../accounts/activity.js';
import type { Database } from '../database.js';
import { BYOK_KIND, CREDIT_KINDS } from '../ledger/ledger-kinds.js';
import type { Tables } from '../schema.js';

const DAY_MS = 86_400_000;

export function createActivityReader(database: Database): ActivityReader {
  return {
    async readActivity(accountId, window) {
      const grouped = groupedUsage(database.reports, accountId, window);
      const rows = await grouped
        .orderBy('day', 'desc')
        .orderBy('generation.model')
        .orderBy('generation.provider', (order) => order.asc().nullsFirst())
        .orderBy('generation.workspace_id')
        .orderBy('generation.api_key_hash')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      const { count } = await database.reports
        .selectFrom(grouped.as('grouped'))
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return { records: rows.map(activityRow), totalCount: count };
    },
  };
}

type GroupedRow = Awaited<ReturnType<ReturnType<typeof groupedUsage>['execute']>>[number];

function groupedUsage(db: Kysely<Tables>, accountId: string, window: ActivityWindow) {
  const { fromMs, beforeMs, apiKeyHash, workspaceId } = window;
  const day = sql<number>`generation.created_at / 86400000`;
  return db
    .selectFrom('generation')
    .where('generation.account_id', '=', accountId)
    .$if(fromMs !== null, (query) => query.where('generation.created_at', '>=', fromMs))
    .$if(beforeMs !== null, (query) => query.where('generation.created_at', '<', beforeMs))
    .$if(apiKeyHash !== null, (query) => query.where('generation.api_key_hash', '=', apiKeyHash))
    .$if(workspaceId !== null, (query) => query.where('generation.workspace_id', '=', workspaceId))
    .groupBy([
      day,
      'generation.model',
      'generation.provider',
      'generation.workspace_id',
      'generation.api_key_hash',
    ])
    .select([
      day.as('day'),
      'generation.model',
      'generation.provider',
      'generation.workspace_id',
      'generation.api_key_hash',
    ])
    .select((eb) => [
      eb.fn.countAll<number>().as('requests'),
      eb.fn.sum<number>('generation.tokens_prompt').as('prompt_tokens'),
      eb.fn.sum<number>('generation.tokens_completion').as('completion_tokens'),
      eb.fn.sum<number>('generation.native_tokens_reasoning').as('reasoning_tokens'),
      eb.fn.sum<bigint | null>(chargeOf(CREDIT_KINDS)).as('usage_nano_usd'),
      eb.fn.sum<bigint | null>(chargeOf([BYOK_KIND])).as('byok_usage_nano_usd'),
    ]);
}

/** The entries of these kinds of a generation. A subquery, since a join would count a generation more than once. */
function chargeOf(kinds: readonly string[]) {
  return sql<bigint>`(select sum(ledger_entry.amount_nano_usd) from ledger_entry
    where ledger_entry.generation_id = generation.id and ledger_entry.kind in (${sql.join(kinds)}))`;
}

function activityRow(row: GroupedRow): ActivityRow {
  return {
    date: new Date(row.day * DAY_MS).toISOString().slice(0, 10),
    model: row.model,
    provider: row.provider,
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    requests: row.requests,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
    usageNanoUsd: row.usage_nano_usd ?? 0n,
    byokUsageNanoUsd: row.byok_usage_nano_usd ?? 0n,
  };
}
