import { limitGarbage } from './collect-garbage.js';

/** How the items of a lazy list are made. */
const makers = new WeakMap<object, (index: number) => unknown>();

/** Items between two looks at what they have left behind; of few, which may be large, fewer. */
const ITEMS_PER_LOOK = 500;
const MIN_LOOKS = 100;

const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * A list whose items are made anew whenever they are asked for: of many large ones, no more are in memory than somebody
 * holds. It is an array to whoever looks, since messages have no other lists; a real one would keep its items. What makes
 * an item gives equals for the same index; nobody may change the list. Lists that come of it by the methods of arrays are
 * ordinary ones; `mapLazily` makes another like it.
 */
export function lazyList<T>(length: number, make: (index: number) => T): T[] {
  const perLook = Math.max(1, Math.min(ITEMS_PER_LOOK, Math.floor(length / MIN_LOOKS)));
  let made = 0;
  const item = (index: number) => {
    if (made % perLook === 0) limitGarbage();
    made += 1;
    return make(index);
  };
  // Going through the list names no index: each name would be a text that is kept until a full collection.
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

/** Whether it is a list that `lazyList` made. */
export function isLazyList(list: object): boolean {
  return makers.has(list);
}

/** The list of what becomes of each item, made whenever it is asked for. */
export function mapLazily<T, U>(list: readonly T[], change: (item: T, index: number) => U): U[] {
  // Only what the list holds is asked for.
  const item = (makers.get(list) ?? ((index: number) => list[index])) as (index: number) => T;
  return lazyList(list.length, (index) => change(item(index), index));
}
