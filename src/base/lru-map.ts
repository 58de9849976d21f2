/**
 * A bounded map that forgets what was not used for long: what was used among the last `bound / 2` different keys is
 * always there. Finding what is in use costs a look-up and no more. A value is never undefined.
 */
export class LruMap<K, V extends NonNullable<unknown>> {
  readonly #half: number;
  #recent = new Map<K, V>();
  /** What was used before that; all of it makes room at once. */
  #older = new Map<K, V>();

  constructor(maxEntries: number) {
    this.#half = Math.max(1, Math.floor(maxEntries / 2));
  }

  /** The value under the key; undefined where there is none. */
  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
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
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  /** Keeps the value, in the place of another under the key. */
  set(key: K, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#older.delete(key);
    this.#recent.set(key, value);
  }
}
