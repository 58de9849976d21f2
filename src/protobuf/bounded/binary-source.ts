/** A reader of protobuf bytes that counts structure, checks bounds and tells when to yield. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { StructureCount } from '../../base/json/bounded/structure.js';
import { decodedText, wholeText } from '../text.js';

/** Max nesting of messages: the library's own limit, and more than any real request has. */
const MAX_DEPTH = 100;

/** Bytes between two looks at the clock: a millisecond or two for the smallest fields. */
const BYTES_PER_LOOK = 8 * 1024;

/** Texts up to this length are read at once. */
const SHORT_TEXT_BYTES = 16 * 1024;

/** Its methods throw an Error for bytes that are not protobuf, and what the count throws. */
export class BinarySource extends BinaryReader {
  readonly #buffer: Buffer;
  readonly count: StructureCount;
  #nextLook = BYTES_PER_LOOK;

  constructor(bytes: Uint8Array, count: StructureCount) {
    super(bytes);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = count;
  }

  /** Whether enough has been read to yield to other work. */
  get isDue(): boolean {
    if (this.pos < this.#nextLook) return false;
    this.#nextLook = this.pos + BYTES_PER_LOOK;
    return true;
  }

  /** Begins a message of this depth. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH) throw new RangeError('too deep');
    this.count.container();
  }

  /** Ends a message whose bytes end there. */
  leave(end: number): void {
    if (this.pos > end) throw new RangeError('a field that is longer than its message');
  }

  /** The end of the length-delimited value that begins here, inside of a value that ends at `end`. */
  endOfDelimited(end: number): number {
    const length = this.uint32();
    if (this.pos + length > end) throw new RangeError('longer than what it is in');
    return this.pos + length;
  }

  /** The length-delimited text that begins here; undefined for a long one. */
  shortText(end: number): string | undefined {
    const start = this.pos;
    const textEnd = this.endOfDelimited(end);
    const textStart = this.pos;
    this.pos = textEnd - textStart > SHORT_TEXT_BYTES ? start : textEnd;
    return this.pos === start ? undefined : wholeText(this.#buffer, textStart, textEnd);
  }

  /** As `shortText`, for any length; yields between pieces. */
  *longText(end: number): Generator<void, string> {
    const textEnd = this.endOfDelimited(end);
    const start = this.pos;
    this.pos = textEnd;
    return yield* decodedText(this.#buffer, start, textEnd);
  }

  /** A copy of the length-delimited bytes that begin here. */
  copy(end: number): Uint8Array {
    const copyEnd = this.endOfDelimited(end);
    const copy = Uint8Array.from(this.#buffer.subarray(this.pos, copyEnd));
    this.pos = copyEnd;
    return copy;
  }

  /** Skips an unknown field. Fields within a group are counted. */
  *skipField(number: number, type: WireType, depth: number): Generator<void, void> {
    if (type === WireType.LengthDelimited) this.pos = this.endOfDelimited(this.len);
    else if (type === WireType.StartGroup) yield* this.#skipGroup(number, depth + 1);
    else this.skip(type, number);
  }

  *#skipGroup(number: number, depth: number): Generator<void, void> {
    this.enter(depth);
    for (;;) {
      const [inner, type] = this.tag();
      if (type === WireType.EndGroup) {
        if (inner !== number) throw new TypeError('the end of another group');
        return;
      }
      this.count.value();
      if (this.isDue) yield;
      yield* this.skipField(inner, type, depth);
    }
  }
}
