import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwnedMap } from '../../src/base/memory/owned-map.js';

describe('a map whose entries have owners', () => {
  it('at its maximum drops the oldest of whoever owns the most, never one of who owns fewer', () => {
    const dropped: string[] = [];
    const map = new OwnedMap<number>(4, (owner, key, value) => void dropped.push(`${owner} ${key} ${value}`));
    map.set('quiet', 'k', 1);
    for (let n = 0; n < 10; n++) map.set('loud', `k${n}`, n);
    expect([map.get('quiet', 'k'), map.size]).toEqual([1, 4]);
    expect(dropped).toEqual([
      'loud k0 0',
      'loud k1 1',
      'loud k2 2',
      'loud k3 3',
      'loud k4 4',
      'loud k5 5',
      'loud k6 6',
    ]);
  });

  it('in any sequence has what a plain map has until it is full, and never more than its maximum', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('1', '2', '3', '4'),
      isDeleted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 12 }), (steps, maxEntries) => {
        const map = new OwnedMap<number>(maxEntries);
        const plain = new Map<string, number>();
        for (const [index, { owner, key, isDeleted }] of steps.entries()) {
          if (isDeleted) map.delete(owner, key);
          else map.set(owner, key, index);
          if (isDeleted) plain.delete(owner + key);
          else plain.set(owner + key, index);
          expect(map.size).toBe([...map.entries()].length);
          expect(map.size).toBeLessThanOrEqual(maxEntries);
          if (maxEntries === 12) expect(map.get(owner, key)).toBe(plain.get(owner + key));
        }
      }),
    );
  });
});
