/** Which records of a list are asked for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page asked for and how many records there are in all. */
export interface Listed<T> {
  readonly records: readonly T[];
  readonly totalCount: number;
}
