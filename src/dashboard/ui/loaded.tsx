import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice, Loading } from './notices.js';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, Error>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query; a placeholder while it loads, and the error in full when it fails. */
export function Loaded<T>({ query, rows = 3, children }: LoadedProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        <FailureNotice error={query.error} onRetry={() => void query.refetch()} />
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <FailureNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}
