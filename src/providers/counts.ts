/**
 * A count of a usage as the provider gives it; undefined where it gives none. NaN for anything that is no number, which
 * is not believed, as no other impossible count is.
 */
export function countOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' ? value : Number.NaN;
}
