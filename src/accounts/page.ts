export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** One page of the records, and the count of all. */
export interface Listed<T> {
  readonly records: readonly T[];
  readonly totalCount: number;
}
