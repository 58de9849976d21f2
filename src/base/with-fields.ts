import { isDeepStrictEqual } from 'node:util';

/** The record with other values. `updatedAt` moves with them; the same object when nothing becomes different. */
export function withFields<R extends { readonly updatedAt: number }>(
  current: R,
  fields: Partial<R>,
  now: number,
): R {
  const next = { ...current, ...fields };
  return isDeepStrictEqual(next, current) ? current : { ...next, updatedAt: now };
}
