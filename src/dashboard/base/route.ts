/** The current location in the dashboard: the part of the URL after `#`, which is never sent to a server. */
export interface HashLocation {
  /** Decoded segments of the path: `#/models/openai/gpt-4o` is `['models', 'openai', 'gpt-4o']`. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads `location.hash`. A segment with a broken escape is taken literally. */
export function hashLocationOf(hash: string): HashLocation {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return {
    segments: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decoded),
    query: new URLSearchParams(query),
  };
}

/** The link to a location; empty members of the query are left out. */
export function linkTo(segments: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
