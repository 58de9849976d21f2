/** An option of a select: the value, and the label that people see. */
export interface Option<T extends string = string> {
  readonly value: T;
  readonly label: string;
}
