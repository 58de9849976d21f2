/** Headers of a call or an answer that has none; nobody changes them. With the first ones Node loads `fetch`: not at the start. */
export function noHeaders(): Headers {
  none ??= new Headers();
  return none;
}

let none: Headers | undefined;

/** The names and values. Iterating over `Headers` takes long, also where there are none. */
export function entriesOf(headers: Headers): Iterable<[string, string]> {
  return headers === noHeaders() ? [] : headers;
}
