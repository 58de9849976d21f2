export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** One page of the records, and the count of all. */
export interface Listed<T> {
  readonly records: readonly T[];
  readonly totalCount: number;
}

/** A list whose records are too many to count: where `isTotalExact` is false, there are more than `totalCount`. */
export interface BoundedList<T> extends Listed<T> {
  readonly isTotalExact: boolean;
}
