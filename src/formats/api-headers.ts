/**
 * What a client says about its request in an API's headers, by header name. It is passed to hosts that speak that API,
 * whichever format the request came in.
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
