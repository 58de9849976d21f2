const NOTHING = Buffer.alloc(0);

/**
 * Collects bytes that come in pieces, however small. The sender decides into how many, and a list of pieces of one
 * byte takes a hundred times the memory of what they hold. This takes at most twice their bytes, and linear time.
 */
export class ByteCollector {
  #memory: Buffer = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was collected. It stays as it is whatever is added or taken later. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /** A piece that comes first is not copied, and must not change. */
  add(piece: Uint8Array): void {
    if (this.#length === 0) this.#memory = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    else {
      this.#makeRoomFor(piece.length);
      this.#memory.set(piece, this.#length);
    }
    this.#length += piece.length;
  }

  /** Takes so many bytes from the beginning, by default all. */
  take(bytes = this.#length): Buffer {
    const taken = this.#memory.subarray(0, bytes);
    this.#length -= bytes;
    this.#memory = this.#length === 0 ? NOTHING : this.#memory.subarray(bytes);
    return taken;
  }

  #makeRoomFor(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    this.bytes.copy(larger);
    this.#memory = larger;
  }
}
