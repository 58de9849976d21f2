/** The most recently used values by key, at most `bound` of them. */
export class Recent<T> {
  readonly #bound: number;
  readonly #values = new Map<string, T>();
  #generation = 0;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** The value remembered under the key, else what `load` finds, which is then remembered. */
  async get(key: string, load: () => Promise<T>): Promise<T> {
    const remembered = this.#values.get(key);
    if (remembered !== undefined) {
      this.#remember(key, remembered);
      return remembered;
    }
    const generation = this.#generation;
    const loaded = await load();
    // What was read before a change that has been announced meanwhile may be outdated.
    if (generation === this.#generation) this.#remember(key, loaded);
    return loaded;
  }

  /** Forgets everything, also what is being loaded at this moment. */
  clear(): void {
    this.#generation++;
    this.#values.clear();
  }

  #remember(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#bound) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }
}
