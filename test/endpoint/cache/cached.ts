/** Chats that are looked for in the cache. */
import type { Answer } from '../../support/rest.js';

export const CACHE = { cache: { ttl: 60 } };

/** `hit`, `miss`, or null where it was not looked for. */
export const cacheOf = ({ headers }: Pick<Answer, 'headers'>) => headers['x-byway-cache'] ?? null;

/** What the cache had for each request, one after the other. */
export async function cacheOfEach(
  ...asks: readonly (() => Promise<Pick<Answer, 'headers'>>)[]
): Promise<(string | string[] | null)[]> {
  const outcomes = [];
  for (const ask of asks) outcomes.push(cacheOf(await ask()));
  return outcomes;
}
