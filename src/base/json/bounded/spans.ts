/** The positions of slices of a byte array, in eight bytes for each. */
export class Spans {
  readonly #bytes: Buffer;
  #offsets = new Uint32Array(64);
  #length = 0;

  /** Takes at most 4 GiB of bytes. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the slice from `start` to before `end`. */
  add(start: number, end: number): void {
    if (2 * this.#length === this.#offsets.length) {
      const larger = new Uint32Array(2 * this.#offsets.length);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[2 * this.#length] = start;
    this.#offsets[2 * this.#length + 1] = end;
    this.#length += 1;
  }

  /**
   * The bytes of one slice, without copying. For few slices only: V8 holds on to views of resizable memory for long.
   */
  view(index: number): Buffer {
    return this.#bytes.subarray(this.#offsets[2 * index], this.#offsets[2 * index + 1]);
  }

  /** A copy of the bytes of one slice. */
  copy(index: number): Uint8Array {
    const [start = 0, end = 0] = [this.#offsets[2 * index], this.#offsets[2 * index + 1]];
    const copy = Buffer.allocUnsafe(end - start);
    this.#bytes.copy(copy, 0, start, end);
    return copy;
  }

  /** The text of one slice, which is valid UTF-8. */
  text(index: number): string {
    return this.#bytes.toString('utf8', this.#offsets[2 * index], this.#offsets[2 * index + 1]);
  }
}
