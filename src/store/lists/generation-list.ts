import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type {
  GenerationFilter,
  GenerationPosition,
  PageOfGenerations,
} from '../../inference/settlement/generation.js';
import { countUpToBound } from '../read-page.js';
import { droppedBefore } from '../retention/dropped-before.js';
import type { Tables } from '../schema.js';
import type { GenerationTable } from '../usage/usage-schema.js';

/** Of these newest generations a page shows what matches where no index finds it: it may read no more than that. */
const MAX_READ = 10_000;

/** A page of the account's generations as rows, newest first, then by id. */
export async function listGenerations(
  db: Kysely<Tables>,
  accountId: string,
  filter: GenerationFilter,
  page: PageOfGenerations,
) {
  const found = indexedMatches(db, accountId, filter);
  const following = page.after === null ? found : found.where(isAfter(page.after));
  const conditions = unindexedConditions(filter);
  const isIndexed = conditions.length === 0;
  const ids = isIndexed
    ? paged(following.select('id'), page)
    : paged(recent(db, following, conditions).select('id'), page);
  const rows = await newestFirst(db.selectFrom('generation').selectAll().where('id', 'in', ids)).execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasNext = rows.length > page.limit && last !== undefined;
  const lastOfPage = hasNext ? positionOf(last) : null;
  if (isIndexed) return { rows: shown, next: lastOfPage, ...(await countUpToBound(db, found.select('id'))) };
  const counted = await countUpToBound(db, recent(db, found, conditions).select('id'));
  return {
    rows: shown,
    next: lastOfPage ?? (await lastRead(following)),
    totalCount: counted.totalCount,
    isTotalExact: (await lastRead(found)) === null,
  };
}

type Matches = ReturnType<typeof indexedMatches>;

/** What an index finds, in the order of the list. */
function indexedMatches(db: Kysely<Tables>, accountId: string, filter: GenerationFilter) {
  const { from, to, apiKeyHashes } = filter;
  const [hash] = apiKeyHashes ?? [];
  return db
    .selectFrom('generation')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', droppedBefore('generation'))
    .$if(from !== null, (query) => query.where('created_at', '>=', from))
    .$if(to !== null, (query) => query.where('created_at', '<', to))
    .$if(isOne(apiKeyHashes), (query) => query.where('api_key_hash', '=', hash ?? ''));
}

/** What has no index: each row that is read is compared. */
function unindexedConditions(filter: GenerationFilter): RawBuilder<SqlBool>[] {
  const { isByok } = filter;
  return [
    ...isAmong('workspace_id', filter.workspaceIds),
    ...(isOne(filter.apiKeyHashes) ? [] : isAmong('api_key_hash', filter.apiKeyHashes)),
    ...isAmong('user_id', filter.userIds),
    ...isAmong('model', filter.models),
    ...isAmong('provider', filter.providers),
    ...isAmong('api', filter.apis),
    ...isAmong('status', filter.statuses),
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

/** Of the newest that are found, those for which all conditions hold. */
function recent(db: Kysely<Tables>, found: Matches, conditions: readonly RawBuilder<SqlBool>[]) {
  const read = newestFirst(found.selectAll()).limit(MAX_READ);
  const table = sql<GenerationTable>`(${read})`.as('recent');
  return conditions.reduce((query, condition) => query.where(condition), db.selectFrom(table));
}

/** Where the reading of `recent` ends; null when it has reached the oldest. */
async function lastRead(found: Matches): Promise<GenerationPosition | null> {
  const [last, beyond] = await newestFirst(found.select(['created_at', 'id']))
    .limit(2)
    .offset(MAX_READ - 1)
    .execute();
  return last === undefined || beyond === undefined ? null : positionOf(last);
}

function isAfter({ createdAt, id }: GenerationPosition): RawBuilder<SqlBool> {
  return sql<SqlBool>`created_at <= ${createdAt} and (created_at < ${createdAt} or id > ${id})`;
}

function positionOf(row: { readonly created_at: number; readonly id: string }): GenerationPosition {
  return { createdAt: row.created_at, id: row.id };
}

/** One more than the page has, which shows whether there is a next one. What is skipped is read from an index alone. */
function paged<Query extends Ordered<Query>>(query: Query, { offset, limit }: PageOfGenerations): Query {
  return newestFirst(query)
    .limit(limit + 1)
    .offset(offset);
}

function newestFirst<Query extends Ordered<Query>>(query: Query): Query {
  return query.orderBy('created_at', 'desc').orderBy('id', 'asc');
}

interface Ordered<Query> {
  orderBy(column: 'created_at' | 'id', direction: 'asc' | 'desc'): Query;
  limit(count: number): Query;
  offset(count: number): Query;
}
