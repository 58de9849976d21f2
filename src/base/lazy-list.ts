const lazyLists = new WeakSet<object>();

const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * A list whose items are made anew whenever they are asked for: of many large ones, no more are in memory than somebody
 * holds. What makes an item gives equals for the same index; nobody may change the list. Lists that come of it by the
 * methods of arrays are ordinary ones; `mapLazily` makes another like it.
 */
export function lazyList<T>(length: number, item: (index: number) => T): T[] {
  const list = new Proxy<T[]>([], {
    get(target, name, receiver) {
      if (name === 'length') return length;
      if (typeof name !== 'string' || !INDEX.test(name)) return Reflect.get(target, name, receiver);
      return Number(name) < length ? item(Number(name)) : undefined;
    },
    has: (target, name) =>
      typeof name === 'string' && INDEX.test(name) ? Number(name) < length : Reflect.has(target, name),
  });
  lazyLists.add(list);
  return list;
}

/** Whether it is a list that `lazyList` made. */
export function isLazyList(list: object): boolean {
  return lazyLists.has(list);
}

/** The list of what becomes of each item, made whenever it is asked for. */
export function mapLazily<T, U>(list: readonly T[], change: (item: T, index: number) => U): U[] {
  // Only what the list holds is asked for.
  return lazyList(list.length, (index) => change(list[index] as T, index));
}
