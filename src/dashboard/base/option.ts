/** One of several values to choose from, as the program and as people call it. */
export interface Option<T extends string = string> {
  readonly value: T;
  readonly label: string;
}
