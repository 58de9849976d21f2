import { useEffect } from 'react';

/** A page of a list and how much there is in all. */
interface Page {
  readonly data: readonly unknown[];
  readonly totalCount: number;
}

/** Where the next page starts; undefined when there is none, or `most` records were read. */
export function nextOffset(pages: readonly Page[], most: number): number | undefined {
  const read = pages.reduce((sum, page) => sum + page.data.length, 0);
  const last = pages.at(-1);
  if (last === undefined || last.data.length === 0) return undefined;
  return read < Math.min(last.totalCount, most) ? read : undefined;
}

/** What `useInfiniteQuery` gives, as far as reading on needs it. */
interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
}

/** Reads on until there is no next page. */
export function useEveryPage({ hasNextPage, isFetching, isError, fetchNextPage }: Paged): void {
  useEffect(() => {
    // Several parts of a page may read the same list at once: the first one's call is everybody's.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
}
