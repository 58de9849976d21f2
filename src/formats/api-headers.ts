/**
 * What a client says of its request in headers of an API, by their names: hosts that speak the API are told, whichever format
 * the request came in.
 */
export type ApiHeaders = Readonly<Record<string, readonly string[]>>;
