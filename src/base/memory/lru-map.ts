/**
 * A map with at most `maxEntries` entries that evicts the least recently used half at once: the last `maxEntries / 2`
 * different keys used are always there. Reading a recent entry costs one look-up.
 */
export class LruMap<K, V extends NonNullable<unknown>> {
  readonly #half: number;
  #recent = new Map<K, V>();
  /** Entries not used since the last eviction; the next one drops all of them. */
  #older = new Map<K, V>();

  constructor(maxEntries: number) {
    this.#half = Math.max(1, Math.floor(maxEntries / 2));
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Stores the result of `make` when there is no value under the key. */
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

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#older.delete(key);
    this.#recent.set(key, value);
  }
}
