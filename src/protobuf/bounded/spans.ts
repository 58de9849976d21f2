/** Where the parts of a text stand that are read one by one: a few bytes for each of them, however many there are. */
export class Spans {
  readonly #bytes: Buffer;
  #bounds = new Uint32Array(64);
  #length = 0;

  /** Of bytes that fit 32 bits. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the part from `start` to before `end`. */
  add(start: number, end: number): void {
    if (2 * this.#length === this.#bounds.length) {
      const larger = new Uint32Array(2 * this.#bounds.length);
      larger.set(this.#bounds);
      this.#bounds = larger;
    }
    this.#bounds[2 * this.#length] = start;
    this.#bounds[2 * this.#length + 1] = end;
    this.#length += 1;
  }

  /** The bytes of one part, which are not copied: for few parts, since a view of memory that can shrink is kept long. */
  view(index: number): Buffer {
    return this.#bytes.subarray(this.#bounds[2 * index], this.#bounds[2 * index + 1]);
  }

  /** A copy of the bytes of one part. */
  copy(index: number): Uint8Array {
    const [start = 0, end = 0] = [this.#bounds[2 * index], this.#bounds[2 * index + 1]];
    const copy = Buffer.allocUnsafe(end - start);
    this.#bytes.copy(copy, 0, start, end);
    return copy;
  }

  /** The characters of one part, which is valid UTF-8. */
  text(index: number): string {
    return this.#bytes.toString('utf8', this.#bounds[2 * index], this.#bounds[2 * index + 1]);
  }
}
