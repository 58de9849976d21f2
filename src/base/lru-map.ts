/** A bounded map that forgets what was not used for longest. */
export class LruMap<K, V> {
  readonly #bound: number;
  readonly #entries = new Map<K, V>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** The value under the key; where there is none, what `make` makes, kept from now on. */
  get(key: K, make: () => V): V {
    const known = this.#entries.get(key);
    const value = known === undefined ? make() : known;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#bound) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    return value;
  }
}
