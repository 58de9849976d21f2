import { expect, test } from 'vitest';
import { BoundedCache } from '../../src/base/memory/bounded-cache.js';

test('a cache never grows beyond its bytes, and says how large it is', () => {
  const cache = new BoundedCache<number, string>({ name: 'things', maxBytes: 1_000, entryBytes: 10 });
  expect(cache.report).toEqual({ name: 'things', bytes: 0, maxBytes: 1_000 });
  for (let key = 0; key < 30; key++) cache.set(key, 'x');
  expect(cache.report.bytes).toBe(300);
  for (let key = 0; key < 1_000; key++) {
    cache.set(key, 'x');
    expect(cache.report.bytes).toBeLessThanOrEqual(1_000);
  }
});

test('half of what fits is always found again, also when used in turn', () => {
  const cache = new BoundedCache<number, number>({ name: 'things', maxBytes: 1_000, entryBytes: 10 });
  let made = 0;
  for (let round = 0; round < 5; round++) {
    for (let key = 0; key < 50; key++) cache.getOrMake(key, () => ++made);
  }
  expect(made).toBe(50);
});
