/** The last result for each object, as long as the object lives, and what else it was made of. */
export class LastResults<K extends object, B, V> {
  readonly #results = new WeakMap<K, { readonly by: B; readonly value: V }>();

  /** Undefined when there is none, or it was made of something else. */
  get(of: K, by: B): V | undefined {
    const last = this.#results.get(of);
    return last?.by === by ? last.value : undefined;
  }

  set(of: K, by: B, value: V): V {
    this.#results.set(of, { by, value });
    return value;
  }
}
