/**
 * Values by owner and key, at most `maxEntries` of all owners together. At the maximum, whoever owns the most loses what it
 * has set longest ago, so that one owner's entries never push out those of another that owns fewer.
 */
export class OwnedMap<V extends NonNullable<unknown>> {
  readonly #maxEntries: number;
  readonly #dropped: (owner: string, key: string, value: V) => void;
  readonly #byOwner = new Map<string, Map<string, V>>();
  #size = 0;

  /** `dropped` is told of each entry that had to go for another. */
  constructor(maxEntries: number, dropped: (owner: string, key: string, value: V) => void = () => undefined) {
    this.#maxEntries = maxEntries;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#size;
  }

  get(owner: string, key: string): V | undefined {
    return this.#byOwner.get(owner)?.get(key);
  }

  set(owner: string, key: string, value: V): void {
    this.delete(owner, key);
    if (this.#size >= this.#maxEntries) this.#dropOne();
    const owned = this.#byOwner.get(owner) ?? new Map<string, V>();
    owned.set(key, value);
    this.#byOwner.set(owner, owned);
    this.#size += 1;
  }

  delete(owner: string, key: string): void {
    const owned = this.#byOwner.get(owner);
    if (owned?.delete(key) !== true) return;
    this.#size -= 1;
    if (owned.size === 0) this.#byOwner.delete(owner);
  }

  /** In no particular order. */
  *entries(): Generator<readonly [key: string, value: V]> {
    for (const owned of this.#byOwner.values()) yield* owned;
  }

  #dropOne(): void {
    let most: readonly [string, ReadonlyMap<string, V>] | undefined;
    for (const one of this.#byOwner) if (one[1].size > (most?.[1].size ?? 0)) most = one;
    if (most === undefined) return;
    const [owner, owned] = most;
    for (const [key, value] of owned) {
      this.delete(owner, key);
      this.#dropped(owner, key, value);
      return;
    }
  }
}
