/**
 * What a client says about its request in an API's headers, by header name. It is passed to hosts that speak that API,
 * whichever format the request came in.
 */
export type ApiHeaders = Readonly<Record<string, readonly string[]>>;
