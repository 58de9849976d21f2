import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import {
  EXPORT_PAGE,
  type GenerationFilter,
  type GenerationPosition,
} from '../../inference/ports/generation.js';
import type { Tables } from '../schema/schema.js';
import type { GenerationTable } from '../schema/usage-schema.js';
import {
  indexedMatches,
  MAX_READ,
  ofOwner,
  positionOfRow,
  unindexedConditions,
} from './generation-filter.js';

/**
 * Pages of the account's generations as rows, as `GenerationStore.export` has them. Each is a statement of its own, so
 * that no snapshot is held while the client takes it. Where conditions have no index, a page looks at the next
 * `MAX_READ` records at most; where these end is found in an index alone, once for all pages.
 */
export async function* exportGenerations(
  db: Kysely<Tables>,
  accountId: string,
  filter: GenerationFilter,
): AsyncGenerator<readonly Selectable<GenerationTable>[]> {
  const newest = await indexedMatches(db, accountId, filter)
    .select(['created_at', 'id'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  const conditions = unindexedConditions(filter);
  const last = positionOfRow(newest);
  let after: GenerationPosition | null = null;
  for (;;) {
    const left = between(db, accountId, filter, after, last);
    const end: GenerationPosition = conditions.length === 0 ? last : ((await lastRead(left)) ?? last);
    yield* pagesOf(db, accountId, filter, after, end);
    if (end === last) return;
    after = end;
  }
}

async function* pagesOf(
  db: Kysely<Tables>,
  accountId: string,
  filter: GenerationFilter,
  begin: GenerationPosition | null,
  end: GenerationPosition,
): AsyncGenerator<readonly Selectable<GenerationTable>[]> {
  const conditions = unindexedConditions(filter);
  let after = begin;
  let rows: Selectable<GenerationTable>[];
  do {
    const read = between(db, accountId, filter, after, end);
    const matching = conditions.reduce((query, condition) => query.where(condition), read);
    rows = await matching.selectAll().limit(EXPORT_PAGE).execute();
    yield rows;
    after = rows.map(positionOfRow).at(-1) ?? after;
  } while (rows.length === EXPORT_PAGE);
}

/** What an index finds behind `after` up to `end`, oldest first. */
function between(
  db: Kysely<Tables>,
  accountId: string,
  filter: GenerationFilter,
  after: GenerationPosition | null,
  end: GenerationPosition,
) {
  // One bound on each side: of two, SQLite may search by the wider one.
  const begun =
    after === null
      ? indexedMatches(db, accountId, { ...filter, to: null })
      : ofOwner(db, accountId, filter).where(compared('>', after));
  return begun.where(compared('<=', end)).orderBy('created_at', 'asc').orderBy('id', 'asc');
}

/** The last of the next `MAX_READ`; undefined where there are fewer. */
async function lastRead(left: ReturnType<typeof between>): Promise<GenerationPosition | undefined> {
  const query = left.select(['created_at', 'id']).limit(1);
  const row = await query.offset(MAX_READ - 1).executeTakeFirst();
  return row && positionOfRow(row);
}

function compared(operator: '>' | '<=', { createdAt, id }: GenerationPosition): RawBuilder<SqlBool> {
  return sql<SqlBool>`(created_at, id) ${sql.raw(operator)} (${createdAt}, ${id})`;
}
