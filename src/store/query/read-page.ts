import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables as Schema } from '../schema/schema.js';

/** One page of the rows of an ordered query, and the count of all rows. */
export async function readPage<Tables, Table extends keyof Tables, Row>(
  ordered: SelectQueryBuilder<Tables, Table, Row>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) {
  const rows = await ordered.limit(limit).offset(offset).execute();
  const { count } = await ordered
    .clearSelect()
    .clearOrderBy()
    .select((build) => build.fn.countAll().as('count'))
    // Engines count in numbers, bigints or texts.
    .$castTo<{ readonly count: number | bigint | string }>()
    .executeTakeFirstOrThrow();
  return { rows, totalCount: Number(count) };
}

/** Rows of tables that grow with every request are counted up to here: counting all would read all of them. */
export const MAX_COUNT = 10_000;

/** `totalCount` rows, or more where it is not exact. */
export interface BoundedCount {
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}

/** Counts the rows of a query that is not ordered. */
export async function countUpToBound<Tables, Table extends keyof Tables, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<BoundedCount> {
  const { count } = await db
    .selectFrom(sql`(${query.limit(MAX_COUNT + 1)})`.as('counted'))
    .select((build) => build.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { totalCount: Math.min(count, MAX_COUNT), isTotalExact: count <= MAX_COUNT };
}
