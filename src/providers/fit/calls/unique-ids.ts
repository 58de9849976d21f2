/** Ids that are used once in a conversation. */
import { textKey } from '../../../base/text.js';

export class UniqueIds {
  readonly #make: (text: string) => string;
  readonly #used = new Set<string>();
  /** How many ids were made in place of each that was used. */
  readonly #made = new Map<string, number>();

  /** @param make Makes an id of a text: another one of another text, and the same in every request. */
  constructor(make: (text: string) => string) {
    this.#make = make;
  }

  /** The id itself, or one that is made in its place where it was used. */
  next(id: string): string {
    const key = textKey(id);
    let unused = id;
    let count = this.#made.get(key) ?? 0;
    while (this.#used.has(textKey(unused))) {
      count += 1;
      unused = this.#make(`${key}#${count}`);
    }
    this.#made.set(key, count);
    this.#used.add(textKey(unused));
    return unused;
  }
}
