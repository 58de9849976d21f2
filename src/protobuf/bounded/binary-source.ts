/** Bytes of protobuf as they are read, and what is counted of them. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { textOf, wholeText } from '../text.js';
import type { StructureCount } from './structure.js';

/** Deepest nesting of messages: deeper than anything that is sent in earnest, and what the library bounds it by. */
const MAX_DEPTH = 100;

/** Between two looks at the clock: a millisecond or two of the smallest fields. */
const BYTES_PER_LOOK = 8 * 1024;

/** Texts up to this length are read at once. */
const SHORT_TEXT_BYTES = 16 * 1024;

/** Where reading has come to. Its methods throw an Error for bytes that are no protobuf, and what the count throws. */
export class BinarySource extends BinaryReader {
  readonly #buffer: Buffer;
  readonly count: StructureCount;
  #nextLook = BYTES_PER_LOOK;

  constructor(bytes: Uint8Array, count: StructureCount) {
    super(bytes);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = count;
  }

  /** Whether so much has been read that others may have to have their turn. */
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

  /** The end of what begins here with its length, which is in something that ends there. */
  endOfDelimited(end: number): number {
    const length = this.uint32();
    if (this.pos + length > end) throw new RangeError('longer than what it is in');
    return this.pos + length;
  }

  /** The text that begins here with its length, if it is a short one. */
  shortText(end: number): string | undefined {
    const start = this.pos;
    const textEnd = this.endOfDelimited(end);
    const textStart = this.pos;
    this.pos = textEnd - textStart > SHORT_TEXT_BYTES ? start : textEnd;
    return this.pos === start ? undefined : wholeText(this.#buffer, textStart, textEnd);
  }

  /** As `shortText`, but any; yields between its pieces. */
  *longText(end: number): Generator<void, string> {
    const textEnd = this.endOfDelimited(end);
    const start = this.pos;
    this.pos = textEnd;
    return yield* textOf(this.#buffer, start, textEnd);
  }

  /** A copy of the bytes that begin here with their length. */
  copy(end: number): Uint8Array {
    const copyEnd = this.endOfDelimited(end);
    const copy = Uint8Array.from(this.#buffer.subarray(this.pos, copyEnd));
    this.pos = copyEnd;
    return copy;
  }

  /** Skips a field that is nobody's; those in a group count too. */
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
