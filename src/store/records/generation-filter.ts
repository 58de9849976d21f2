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
export function ofOwner(db: Kysely<Tables>, accountId: string, filter: GenerationFilter) {
  const found = indexedBy(filter);
  const ofAccount = db.selectFrom('generation').where('account_id', '=', accountId);
  return found === undefined
    ? ofAccount
    : ofAccount.where(sql<SqlBool>`${sql.ref(found.column)} = ${found.value}`);
}

/** What has an index by column and time, what finds least first. */
const INDEXED = {
  run_id: 'runIds',
  run: 'runs',
  agent_id: 'agentIds',
  end_user: 'endUsers',
  api_key_hash: 'apiKeyHashes',
} as const satisfies Record<string, keyof GenerationFilter>;

type IndexedColumn = keyof typeof INDEXED;

/** The one column that records are found by; undefined = by time alone. */
function indexedBy(
  filter: GenerationFilter,
): { readonly column: IndexedColumn; readonly value: string } | undefined {
  for (const column of Object.keys(INDEXED) as IndexedColumn[]) {
    const [value, ...others] = filter[INDEXED[column]] ?? [];
    if (value !== undefined && others.length === 0) return { column, value };
  }
  return undefined;
}

/** What records are not found by: each row that is read is compared. */
export function unindexedConditions(filter: GenerationFilter): RawBuilder<SqlBool>[] {
  const { isByok } = filter;
  const found = indexedBy(filter)?.column;
  const columns = (Object.keys(INDEXED) as IndexedColumn[]).filter((column) => column !== found);
  return [
    ...columns.flatMap((column) => isAmong(column, filter[INDEXED[column]])),
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
