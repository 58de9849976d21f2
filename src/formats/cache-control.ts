import { members } from './json.js';

/**
 * How old a cached answer may be, in seconds: as the member `cache` of a request says, where null and an object without `ttl`
 * switch it off, else as its API key does. null = nothing is cached.
 */
export function cacheTtlOf(
  { cache }: Readonly<Record<string, unknown>>,
  ofKey: number | null,
): number | null {
  if (cache === undefined) return ofKey;
  const { ttl } = members(cache);
  return typeof ttl === 'number' ? ttl : null;
}
