/**
 * Values by owner and key, at most `maxEntries` for all owners together. When these are reached, the owner with the
 * most entries loses the one that it set longest ago, so that nobody's entries push out those of an owner with fewer.
 */
export class OwnedMap<V extends NonNullable<unknown>> {
  readonly #maxEntries: number;
  readonly #dropped: (owner: string, key: string, value: V) => void;
  readonly #byOwner = new Map<string, Map<string, V>>();
  /** At each index the owners of so many entries. */
  readonly #byCount: Set<string>[] = [];
  #mostOwned = 0;
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
    this.#recount(owner, owned.size - 1, owned.size);
  }

  delete(owner: string, key: string): void {
    const owned = this.#byOwner.get(owner);
    if (owned?.delete(key) !== true) return;
    this.#size -= 1;
    if (owned.size === 0) this.#byOwner.delete(owner);
    this.#recount(owner, owned.size + 1, owned.size);
  }

  /** In no particular order. */
  *entries(): Generator<readonly [key: string, value: V]> {
    for (const owned of this.#byOwner.values()) yield* owned;
  }

  #recount(owner: string, before: number, now: number): void {
    this.#byCount[before]?.delete(owner);
    if (now > 0) this.#ownersOf(now).add(owner);
    this.#mostOwned = Math.max(this.#mostOwned, now);
    while (this.#mostOwned > 0 && this.#ownersOf(this.#mostOwned).size === 0) this.#mostOwned -= 1;
  }

  #ownersOf(count: number): Set<string> {
    const owners = this.#byCount[count] ?? new Set<string>();
    this.#byCount[count] = owners;
    return owners;
  }

  #dropOne(): void {
    for (const owner of this.#ownersOf(this.#mostOwned)) {
      for (const [key, value] of this.#byOwner.get(owner) ?? []) {
        this.delete(owner, key);
        this.#dropped(owner, key, value);
        return;
      }
    }
  }
}
