import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  moveEntry,
  orderOf,
  positionIn,
  positionText,
  SHARED,
} from '../../src/dashboard/pages/byok/order.js';

const KEYS = [
  { id: 'c', isFallback: true, sortOrder: 0 },
  { id: 'b', isFallback: false, sortOrder: 1 },
  { id: 'd', isFallback: true, sortOrder: 1 },
  { id: 'a', isFallback: false, sortOrder: 0 },
];

describe('the order of provider keys', () => {
  it('is Prioritized, shared capacity, Fallback', () => {
    expect(orderOf(KEYS)).toEqual(['a', 'b', SHARED, 'c', 'd']);
    expect(orderOf([])).toEqual([SHARED]);
  });

  it('gives every key its section and position', () => {
    const order = orderOf(KEYS);
    for (const { id, isFallback, sortOrder } of KEYS) {
      expect(positionIn(order, id)).toEqual({ isFallback, sortOrder });
    }
    expect(positionText(positionIn(order, 'd'))).toBe('Fallback, position 2');
  });

  it('a key that is moved past shared capacity changes its section', () => {
    const order = orderOf(KEYS);
    expect(positionIn(moveEntry(order, 1, 2), 'b')).toEqual({ isFallback: true, sortOrder: 0 });
    expect(positionIn(moveEntry(order, 3, 2), 'c')).toEqual({ isFallback: false, sortOrder: 2 });
    expect(positionIn(moveEntry(order, 0, 4), 'a')).toEqual({ isFallback: true, sortOrder: 2 });
  });

  it('a move changes the place of one and the order of no others', () => {
    const place = fc.nat({ max: 6 });
    fc.assert(
      fc.property(place, place, (from, to) => {
        const order = ['a', 'b', 'c', SHARED, 'd', 'e', 'f'];
        const after = moveEntry(order, from, to);
        const id = order[from];
        expect(after.indexOf(id ?? '')).toBe(to);
        expect(after.filter((other) => other !== id)).toEqual(order.filter((other) => other !== id));
      }),
    );
  });
});
