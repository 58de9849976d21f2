import { useEffect } from 'react';

/** A page of a list and how much there is in all. */
interface Page {
  readonly data: readonly unknown[];
  readonly totalCount: number;
}

/** Offset of the next page; undefined when there is none, or `max` records were read. */
export function nextOffset(pages: readonly Page[], max: number): number | undefined {
  const read = pages.reduce((sum, page) => sum + page.data.length, 0);
  const last = pages.at(-1);
  if (last === undefined || last.data.length === 0) return undefined;
  return read < Math.min(last.totalCount, max) ? read : undefined;
}

/** The part of the result of `useInfiniteQuery` that reading on needs. */
interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
}

/** Reads on until there is no next page. */
export function useEveryPage({ hasNextPage, isFetching, isError, fetchNextPage }: Paged): void {
  useEffect(() => {
    // Several components may read the same list at once: they share the first one's call.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
}
