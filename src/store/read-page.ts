import type { SelectQueryBuilder } from 'kysely';

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
