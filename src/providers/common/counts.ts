import { ExactInteger } from '../../base/json/exact-integer.js';

/**
 * A count of a usage as the provider gives it; undefined where it gives no number. NaN for anything but an integer of at
 * least 0: it is not believed, and neither is a sum that it is part of.
 */
export function countOf(value: unknown): number | undefined {
  if (value instanceof ExactInteger) return countOf(Number(value.digits));
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && value >= 0 ? value : Number.NaN;
}
