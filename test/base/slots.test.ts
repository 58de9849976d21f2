import { describe, expect, it } from 'vitest';
import { SlotMap } from '../../src/base/memory/slot-map.js';
import { Slots } from '../../src/base/memory/slots.js';

describe('slots', () => {
  it('hold what was added and not removed, in any order', () => {
    const slots = new Slots<string>();
    const [a, b] = [slots.add('a'), slots.add('b')];
    slots.remove(a);
    slots.add('c');
    expect([...slots].sort()).toEqual(['b', 'c']);
    expect(slots.size).toBe(2);
    expect(slots.get(b)).toBe('b');
    slots.remove(b);
    expect([...slots]).toEqual(['c']);
  });
});

describe('a slot map', () => {
  it('has what was added and not removed', () => {
    const map = new SlotMap<string, number>();
    map.add('a', 1);
    map.add('b', 2);
    expect(map.remove('a')).toBe(1);
    expect(map.remove('a')).toBeUndefined();
    map.add('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    expect(map.has('a')).toBe(false);
    expect(map.get('c')).toBe(3);
    expect(map.get('a')).toBeUndefined();
  });
});
