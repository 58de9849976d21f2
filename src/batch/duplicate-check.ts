import { hash } from 'node:crypto';

/** Size of the hash table per name: large enough that most names find a free entry soon. */
const ENTRIES_PER_NAME = 1.5;

/**
 * Finds duplicate names among `count` without storing the names: half a million would take more memory than the
 * requests that they belong to. `nameAt` returns the name of a row that was added.
 */
export class DuplicateCheck {
  readonly #nameAt: (row: number) => string;
  /** For each entry of the hash table, the row whose name is there, counted from 1; 0 = free. */
  readonly #rows: Uint32Array;
  /** For each entry, 16 bits of the name's hash, so that names are compared only if these match. */
  readonly #hashes: Uint16Array;

  constructor(count: number, nameAt: (row: number) => string) {
    this.#nameAt = nameAt;
    this.#rows = new Uint32Array(Math.ceil(ENTRIES_PER_NAME * count) + 1);
    this.#hashes = new Uint16Array(this.#rows.length);
  }

  /** Adds the name of a row; false when an earlier row has it. */
  add(row: number): boolean {
    const name = this.#nameAt(row);
    const bytes = hash('sha1', name, 'buffer');
    const like = bytes.readUInt16LE(0);
    let entry = bytes.readUInt32LE(4) % this.#rows.length;
    for (let other = this.#rows[entry]; other !== 0 && other !== undefined; other = this.#rows[entry]) {
      if (this.#hashes[entry] === like && this.#nameAt(other - 1) === name) return false;
      entry = (entry + 1) % this.#rows.length;
    }
    this.#rows[entry] = row + 1;
    this.#hashes[entry] = like;
    return true;
  }
}
