/**
 * What a client says of its request in headers of an API, by their names: hosts that speak the API are told, whichever format
 * the request came in.
 */
export type ApiHeaders = Readonly<Record<string, readonly string[]>>;

/** A header of an API that hosts are told. */
export interface PassedHeader {
  readonly name: string;
  /** A value of any other form is nobody's. */
  readonly value: RegExp;
  /** Of a list by comma; 1 = the header is one value. */
  readonly maxValues: number;
}
