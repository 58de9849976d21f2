import { limitGarbage } from '../memory/collect-garbage.js';

/** The item functions of lazy lists. */
const makers = new WeakMap<object, (index: number) => unknown>();

/** Items between two calls of `limitGarbage`; fewer in short lists, whose items may be large. */
const ITEMS_PER_CHECK = 500;
const MIN_CHECKS = 100;

const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * A list whose items are created on each access, so that memory holds only those in use. It passes for an array, since
 * messages have no other lists. `make` must return equal items for the same index, and the list must not be changed.
 * Array methods return ordinary arrays; `mapLazily` returns a lazy list. See `docs/adr/0009-lazy-lists-for-batches.md`.
 */
export function lazyList<T>(length: number, make: (index: number) => T): T[] {
  const perCheck = Math.max(1, Math.min(ITEMS_PER_CHECK, Math.floor(length / MIN_CHECKS)));
  let made = 0;
  const item = (index: number) => {
    if (made % perCheck === 0) limitGarbage();
    made += 1;
    return make(index);
  };
  // Iteration bypasses the proxy: each index would become a string that lives until a full collection.
  function* values() {
    for (let index = 0; index < length; index += 1) yield item(index);
  }
  function* entries() {
    for (let index = 0; index < length; index += 1) yield [index, item(index)];
  }
  const own = new Map<string | symbol, unknown>([
    ['length', length],
    ['entries', entries],
    ['values', values],
    [Symbol.iterator, values],
  ]);
  const list = new Proxy<T[]>([], {
    get(target, name, receiver) {
      if (own.has(name)) return own.get(name);
      if (typeof name === 'symbol' || !INDEX.test(name)) return Reflect.get(target, name, receiver);
      return Number(name) < length ? item(Number(name)) : undefined;
    },
    has: (target, name) =>
      typeof name === 'string' && INDEX.test(name) ? Number(name) < length : Reflect.has(target, name),
  });
  makers.set(list, make);
  return list;
}

export function isLazyList(list: object): boolean {
  return makers.has(list);
}

/** `change` runs on each access to an item. */
export function mapLazily<T, U>(list: readonly T[], change: (item: T, index: number) => U): U[] {
  // Only indexes below the length of the list are read.
  const item = (makers.get(list) ?? ((index: number) => list[index])) as (index: number) => T;
  return lazyList(list.length, (index) => change(item(index), index));
}
