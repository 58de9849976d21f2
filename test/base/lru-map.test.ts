import { expect, test } from 'vitest';
import { LruMap } from '../../src/base/memory/lru-map.js';

test('the least recently used entries are evicted, and made again on demand', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  expect(map.getOrMake('a', () => 7)).toBe(1);
  expect(map.getOrMake('b', () => 8)).toBe(8);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, 8, undefined]);
});
