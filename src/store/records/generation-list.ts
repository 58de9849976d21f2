import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type {
  GenerationFilter,
  GenerationPosition,
  PageOfGenerations,
} from '../../inference/ports/generation.js';
import { countUpToBound } from '../query/read-page.js';
import type { Tables } from '../schema/schema.js';
import type { GenerationTable } from '../schema/usage-schema.js';
import { indexedMatches, MAX_READ, positionOfRow, unindexedConditions } from './generation-filter.js';

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
  const lastOfPage = hasNext ? positionOfRow(last) : null;
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

/** Reads the newest that are found, and keeps those for which all conditions hold. */
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
  return last === undefined || beyond === undefined ? null : positionOfRow(last);
}

function isAfter({ createdAt, id }: GenerationPosition): RawBuilder<SqlBool> {
  return sql<SqlBool>`created_at <= ${createdAt} and (created_at < ${createdAt} or id > ${id})`;
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
