import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type {
  GenerationFilter,
  GenerationPosition,
  GenerationScope,
} from '../../inference/ports/generation.js';
import type { Database } from '../database/database.js';
import { droppedBefore, retainedSince } from '../query/dropped-before.js';
import type { Tables } from '../schema/schema.js';
import type { GenerationTable } from '../schema/usage-schema.js';

/** Where no index finds what matches, a statement reads no more records than that. */
export const MAX_READ = 10_000;

/** What an index finds, in either order of time. */
export function indexedMatches(db: Kysely<Tables>, accountId: string, filter: GenerationFilter) {
  const { from, to } = filter;
  return ofOwner(db, accountId, filter)
    .where('created_at', '>=', retainedSince('generation', from ?? 0))
    .$if(to !== null, (query) => query.where('created_at', '<', to));
}

/** What an index finds of all times. */
export function ofOwner(db: Kysely<Tables>, accountId: string, { apiKeyHashes }: GenerationFilter) {
  const [hash] = apiKeyHashes ?? [];
  return db
    .selectFrom('generation')
    .where('account_id', '=', accountId)
    .$if(isOne(apiKeyHashes), (query) => query.where('api_key_hash', '=', hash ?? ''));
}

/** What has no index, since every request would pay for it: each row that is read is compared. */
export function unindexedConditions(filter: GenerationFilter): RawBuilder<SqlBool>[] {
  const { isByok } = filter;
  return [
    ...(isOne(filter.apiKeyHashes) ? [] : isAmong('api_key_hash', filter.apiKeyHashes)),
    ...isAmong('run_id', filter.runIds),
    ...isAmong('run', filter.runs),
    ...isAmong('end_user', filter.endUsers),
    ...isAmong('agent_id', filter.agentIds),
    ...isAmong('parent_agent_id', filter.parentAgentIds),
    ...isAmong('workspace_id', filter.workspaceIds),
    ...isAmong('user_id', filter.userIds),
    ...isAmong('model', filter.models),
    ...isAmong('provider', filter.providers),
    ...isAmong('api', filter.apis),
    ...isAmong('status', filter.statuses),
    ...isAmong('reason', filter.reasons),
    ...isAmong('session_id', filter.sessionIds),
    ...(isByok === null ? [] : [sql<SqlBool>`(byok_key_id is not null) = ${sql.lit(isByok)}`]),
  ];
}

/** A record without them is older than the columns. */
const COLUMNS: Readonly<Record<string, RawBuilder<unknown>>> = {
  api: sql`coalesce(api, 'chat')`,
  status: sql`coalesce(status, case when cancelled = 1 then 'cancelled' when provider is null then 'failed' else 'ok' end)`,
};

function isAmong(name: string, values: readonly string[] | null): RawBuilder<SqlBool>[] {
  if (values === null) return [];
  const column = COLUMNS[name] ?? sql.ref(name);
  return [values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${column} in (${sql.join(values)})`];
}

function isOne(values: readonly string[] | null): boolean {
  return values?.length === 1;
}

/** The record of a generation in scope that is still kept. */
export function findRow(
  { query }: Pick<Database, 'query'>,
  id: string,
  { accountId, apiKeyHash }: GenerationScope,
): Promise<Selectable<GenerationTable> | undefined> {
  const found = query
    .selectFrom('generation')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('created_at', '>=', droppedBefore('generation'));
  return (apiKeyHash === null ? found : found.where('api_key_hash', '=', apiKeyHash)).executeTakeFirst();
}

export function positionOfRow(row: { readonly created_at: number; readonly id: string }): GenerationPosition {
  return { createdAt: row.created_at, id: row.id };
}
