/** A bounded map that forgets what was not used for longest. A value is never undefined. */
export class LruMap<K, V extends NonNullable<unknown>> {
  readonly #bound: number;
  readonly #entries = new Map<K, V>();
  /** The key that was used last, which need not be moved to the end again. */
  #newest: K | undefined;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** The value under the key; undefined where there is none. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) this.set(key, value);
    return value;
  }

  /** The value under the key; where there is none, what `make` makes, kept from now on. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** Keeps the value, in the place of another under the key. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    if (this.#entries.size <= this.#bound) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
