/**
 * Where frames of Zstandard end (RFC 8878 section 3.1). Node ends with the first of two frames that come in one piece, and Node 22
 * takes a frame that was cut for a complete one.
 */

const FRAME_MAGIC = 0xfd2fb528;

/** The lowest four bits are the application's. */
const SKIPPABLE_MAGIC = 0x184d2a5;

const CHECKSUM_BYTES = 4;
const RLE = 1;

/** What is read at once is a magic number, a descriptor, a size, or the header of a block. */
const MAX_HEADER_BYTES = 4;

/** What the bytes after the next `skip` ones are. */
type Next = 'magic' | 'descriptor' | 'size' | 'block';

/** Follows a body that comes in pieces, reading headers alone. */
export class ZstdFrames {
  /** Bytes of a header that has not arrived whole. */
  readonly #header = Buffer.alloc(MAX_HEADER_BYTES);
  #headerBytes = 0;
  #needed = 4;
  #next: Next = 'magic';
  #skip = 0;
  #hasChecksum = false;

  /** Whether everything so far is whole frames. */
  get isComplete(): boolean {
    return this.#next === 'magic' && this.#headerBytes === 0 && this.#skip === 0;
  }

  /** The piece, cut where frames end; undefined where no frame can be so. */
  split(piece: Buffer): Buffer[] | undefined {
    const parts: Buffer[] = [];
    let begin = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, piece.length - at);
        this.#skip -= passed;
        at += passed;
      } else {
        this.#header[this.#headerBytes] = piece.readUInt8(at);
        this.#headerBytes += 1;
        at += 1;
        if (this.#headerBytes === this.#needed && !this.#readHeader()) return undefined;
      }
      if (!this.isComplete) continue;
      parts.push(piece.subarray(begin, at));
      begin = at;
    }
    if (begin < piece.length) parts.push(piece.subarray(begin));
    return parts;
  }

  #readHeader(): boolean {
    this.#headerBytes = 0;
    switch (this.#next) {
      case 'magic':
        return this.#readMagic(this.#header.readUInt32LE(0));
      case 'descriptor':
        return this.#readDescriptor(this.#header.readUInt8(0));
      case 'size':
        this.#expect('magic', 4, this.#header.readUInt32LE(0));
        return true;
      case 'block':
        return this.#readBlock(this.#header.readUIntLE(0, 3));
    }
  }

  #readMagic(magic: number): boolean {
    if (magic === FRAME_MAGIC) this.#expect('descriptor', 1);
    else if (magic >>> 4 === SKIPPABLE_MAGIC) this.#expect('size', 4);
    else return false;
    return true;
  }

  /** Section 3.1.1.1.1. */
  #readDescriptor(descriptor: number): boolean {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0;
    const dictionaryId = [0, 1, 2, 4][descriptor & 0x03] ?? 0;
    this.#expect('block', 3, (isSingleSegment ? 0 : 1) + dictionaryId + contentSize);
    return true;
  }

  /** Section 3.1.1.2. */
  #readBlock(header: number): boolean {
    const type = (header >>> 1) & 0x03;
    const content = type === RLE ? 1 : header >>> 3;
    const isLast = (header & 0x01) !== 0;
    if (!isLast) this.#expect('block', 3, content);
    else this.#expect('magic', 4, content + (this.#hasChecksum ? CHECKSUM_BYTES : 0));
    return true;
  }

  #expect(next: Next, needed: number, skip = 0): void {
    this.#next = next;
    this.#needed = needed;
    this.#skip = skip;
  }
}
