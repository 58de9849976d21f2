/**
 * The order of keys in the prioritized and the fallback section of one provider in one workspace:
 * `docs/routing.md#byok-keys`. Positions of a section are 0..n-1 without gaps, before and after every operation.
 */
import { type ByokKey, sectionOf } from '../types.js';

export type KeyPosition = Pick<ByokKey, 'isFallback' | 'sortOrder'>;

/** A new section or position. Without a position, a key stays where it is, or goes to the end of a section that is new to it. */
export interface Destination {
  readonly isFallback: boolean;
  /** Clamped to the end of the section. */
  readonly sortOrder: number | undefined;
}

/** Moves all keys of a section whose position is from `from` to `to`, both included, by one place. */
export interface Shift {
  readonly isFallback: boolean;
  readonly from: number;
  readonly to: number;
  readonly by: 1 | -1;
}

export interface Move {
  readonly position: KeyPosition;
  /** How the other keys move. */
  readonly shifts: readonly Shift[];
}

/** Moves a key to its destination, a section that has `size` keys. */
export function move(current: KeyPosition, { isFallback, sortOrder }: Destination, size: number): Move {
  if (sectionOf(current) === sectionOf({ isFallback })) {
    const wanted = Math.min(sortOrder ?? current.sortOrder, size - 1);
    const shift: Shift =
      wanted > current.sortOrder
        ? { isFallback, from: current.sortOrder + 1, to: wanted, by: -1 }
        : { isFallback, from: wanted, to: current.sortOrder - 1, by: 1 };
    return {
      position: { isFallback, sortOrder: wanted },
      shifts: wanted === current.sortOrder ? [] : [shift],
    };
  }
  const wanted = Math.min(sortOrder ?? size, size);
  return {
    position: { isFallback, sortOrder: wanted },
    shifts: [
      { isFallback: current.isFallback, from: current.sortOrder + 1, to: LAST, by: -1 },
      { isFallback, from: wanted, to: LAST, by: 1 },
    ],
  };
}

/** Beyond every position, in the range of its column. */
const LAST = 2 ** 31 - 1;
