import { Slots } from './slots.js';

/** A map of entries that come and go, whose values are in `Slots`: only keys stay behind in replaced tables. */
export class SlotMap<K extends string, V extends NonNullable<unknown>> implements Iterable<readonly [K, V]> {
  readonly #slotOf = new Map<K, number>();
  readonly #values = new Slots<V>();

  has(key: K): boolean {
    return this.#slotOf.has(key);
  }

  get(key: K): V | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : this.#values.get(slot);
  }

  /** The key must not be there. */
  add(key: K, value: V): void {
    this.#slotOf.set(key, this.#values.add(value));
  }

  /** Undefined when it was not there. */
  remove(key: K): V | undefined {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return undefined;
    const value = this.#values.get(slot);
    this.#slotOf.delete(key);
    this.#values.remove(slot);
    return value;
  }

  *[Symbol.iterator](): Iterator<readonly [K, V]> {
    for (const [key, slot] of this.#slotOf) {
      const value = this.#values.get(slot);
      if (value !== undefined) yield [key, value];
    }
  }
}
