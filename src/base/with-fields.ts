import { isDeepStrictEqual } from 'node:util';

/** Replaces fields and `updatedAt`. Returns the same object when no value changes. */
export function withFields<R extends { readonly updatedAt: number }>(
  current: R,
  fields: Partial<R>,
  now: number,
): R {
  const next = { ...current, ...fields };
  return isDeepStrictEqual(next, current) ? current : { ...next, updatedAt: now };
}
