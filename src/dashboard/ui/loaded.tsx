import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Loading } from './notices.js';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, Error>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** Shows what was read; before that a placeholder, and the failure in full when it can't be read. */
export function Loaded<T>({ query, rows = 3, children }: LoadedProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        <Failure error={query.error} onRetry={() => void query.refetch()} />
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}
