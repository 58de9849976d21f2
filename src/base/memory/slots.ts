/**
 * Items that come and go, such as requests in flight. A `Set` or `Map` keeps its entries in a table that it replaces
 * whenever that is full of removed ones, and each replaced table refers to the next. Once V8 has moved one to the old
 * generation, all that was in its successors when they were replaced follows it there, and only a full collection
 * frees it. A slot refers to its item while that is in it, and to nothing after.
 */
export class Slots<T extends NonNullable<unknown>> implements Iterable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** The slot of the item, for `get` and `remove`. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  get(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** Call it once for each item. */
  remove(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
