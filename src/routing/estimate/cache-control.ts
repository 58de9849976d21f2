import { isObject } from '../../formats/json.js';
import type { CacheWrites } from '../../ledger/pricing/price.js';

/** What the marks of Anthropic's format, anywhere in a request, ask for. */
export function cacheControlIn(request: unknown): CacheWrites {
  let writes: CacheWrites = 'none';
  const pending: unknown[] = [request];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const element of next) pending.push(element);
    if (!isObject(next)) continue;
    const { cache_control: mark } = next;
    if (isObject(mark)) {
      if (mark.ttl === '1h') return 'hour';
      writes = 'short';
    }
    for (const value of Object.values(next)) if (typeof value === 'object') pending.push(value);
  }
  return writes;
}
