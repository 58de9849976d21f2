import { describe, expect, it } from 'vitest';
import { isLazyList, lazyList, mapLazily } from '../../src/base/json/lazy-list.js';

describe('a lazy list', () => {
  const list = lazyList(3, (index) => ({ index }));

  it('is read like an array', () => {
    const all = [{ index: 0 }, { index: 1 }, { index: 2 }];
    expect([...list]).toEqual(all);
    expect([...list.entries()]).toEqual([...all.entries()]);
    expect([...list.values()]).toEqual(all);
    expect(list.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect([list.length, list[1], list[3], list.at(-1)]).toEqual([3, { index: 1 }, undefined, { index: 2 }]);
    expect([2 in list, 3 in list, Array.isArray(list)]).toEqual([true, false, true]);
  });

  it('creates items on each access, and only those that are accessed', () => {
    let made = 0;
    const counted = lazyList(1_000_000, (index) => {
      made += 1;
      return { index };
    });
    expect(counted[999_999]).not.toBe(counted[999_999]);
    expect(made).toBe(2);
  });

  it('is mapped to another lazy list', () => {
    const mapped = mapLazily(list, ({ index }, at) => [index, at]);
    expect(isLazyList(mapped)).toBe(true);
    expect([...mapped]).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
    expect(isLazyList(mapLazily(['a'], (text) => text))).toBe(true);
    expect(isLazyList([...mapped])).toBe(false);
  });
});
