/** Headers of a call or an answer that has none; nobody changes them. */
export const NO_HEADERS = new Headers();

/** The names and values. Iterating over `Headers` takes long, also where there are none. */
export function entriesOf(headers: Headers): Iterable<[string, string]> {
  return headers === NO_HEADERS ? [] : headers;
}
