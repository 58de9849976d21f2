/** A reader of JSON bytes that tells when to yield. */
import { exactInteger } from '../exact-integer.js';
import type { JsonValue } from '../json-value.js';

/** Bytes between two looks at the clock: a tenth of a millisecond, where there are no long texts. */
const BYTES_PER_LOOK = 16 * 1024;

/** Texts up to this length are read at once. */
const SHORT_TEXT_BYTES = 16 * 1024;

/** Bytes of a longer text that are read at once, in at most two milliseconds. */
const PIECE_BYTES = 128 * 1024;

/** A number with more digits is refused: they would add nothing to its value. */
const MAX_NUMBER_LENGTH = 1024;

/** Stands for any whitespace. */
export const SPACE = 0x20;
/** Begins and ends a text. */
export const QUOTE = 0x22;
/** Separates members and elements. */
export const COMMA = 0x2c;
/** Separates a name from its value. */
export const COLON = 0x3a;
/** Begins a list. */
export const BRACKET = 0x5b;
/** Ends a list. */
export const BRACKET_END = 0x5d;
/** Begins an object. */
export const BRACE = 0x7b;
/** Ends an object. */
export const BRACE_END = 0x7d;
export const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/** Shorter ones are numbers. */
const INTEGER = /^-?\d{16,}$/;

/** A position in the bytes, which are UTF-8. Its methods throw a SyntaxError for what is not JSON. */
export class JsonSource {
  readonly bytes: Buffer;
  at = 0;
  #nextLook = BYTES_PER_LOOK;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Whether enough has been read to yield to other work. */
  get isDue(): boolean {
    if (this.at < this.#nextLook) return false;
    this.#nextLook = this.at + BYTES_PER_LOOK;
    return true;
  }

  /**
   * Moves to the next byte that is not whitespace, and returns it; `SPACE` after a long run of whitespace, undefined
   * at the end.
   */
  peek(): number | undefined {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at];
    const last = at + BYTES_PER_LOOK;
    while (byte !== undefined && byte <= SPACE && isSpace(byte) && at < last) byte = bytes[++at];
    this.at = at;
    return byte !== undefined && byte <= SPACE && isSpace(byte) ? SPACE : byte;
  }

  skip(length: number): void {
    this.at += length;
  }

  expect(byte: number): void {
    if (this.bytes[this.at] !== byte) throw new SyntaxError('something else was due');
    this.at += 1;
  }

  /** The text that begins here; undefined for a long one. */
  shortText(): string | undefined {
    const { bytes } = this;
    const start = this.at + 1;
    const last = Math.min(bytes.length, start + SHORT_TEXT_BYTES);
    let seen = 0;
    let isPlain = true;
    for (let at = start; at < last; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.at = at + 1;
        if (!isPlain) return JSON.parse(bytes.toString('utf8', start - 1, at + 1));
        return seen > 0x7f ? bytes.toString('utf8', start, at) : bytes.toString('latin1', start, at);
      }
      if (byte === BACKSLASH) {
        isPlain = false;
        at += 1;
      } else if (byte < 0x20) throw new SyntaxError('a control character');
      seen |= byte;
    }
    if (last === bytes.length) throw new SyntaxError('a text without end');
    return undefined;
  }

  /** The text that begins here; yields between its pieces. */
  *longText(): Generator<void, string> {
    const { bytes } = this;
    const quote = bytes.indexOf(QUOTE, this.at + 1);
    if (quote < 0) throw new SyntaxError('a text without end');
    const hasEscapes = bytes.subarray(this.at + 1, quote).includes(BACKSLASH);
    const known = hasEscapes ? undefined : quote;
    let text = '';
    this.at += 1;
    for (;;) {
      const start = this.at;
      const isLast = this.#skipPiece(known);
      text += JSON.parse(`"${bytes.toString('utf8', start, this.at)}"`);
      if (isLast) break;
      yield;
    }
    this.at += 1;
    return text;
  }

  /** Moves by one piece, or to the closing quote; whether that was reached. A character or an escape is never cut. */
  #skipPiece(quote: number | undefined): boolean {
    const { bytes } = this;
    let at = this.at;
    const last = at + PIECE_BYTES;
    if (quote !== undefined) at = Math.min(quote, last);
    else
      while (at < last && at < bytes.length && bytes[at] !== QUOTE)
        at += bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === UNICODE ? 6 : 2;
    while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
    if (at >= bytes.length) throw new SyntaxError('a text without end');
    this.at = at;
    return bytes[at] === QUOTE;
  }

  /**
   * The number, boolean or null that begins here. With `isExact` an integer that is too large for a number is an
   * `ExactInteger`.
   */
  scalar(isExact = false): JsonValue {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    while (isOfScalar(bytes[at]) && at - start <= MAX_NUMBER_LENGTH) at += 1;
    if (at === start || at - start > MAX_NUMBER_LENGTH) throw new SyntaxError('no value');
    this.at = at;
    const first = (bytes[start] ?? 0) - ZERO;
    if (at === start + 1 && first >= 0 && first <= 9) return first;
    const text = bytes.toString('latin1', start, at);
    const value = JSON.parse(text);
    if (!isExact || !INTEGER.test(text)) return value;
    // What looks at JSON takes it for a value that is of no type that it wants.
    return exactInteger(text) as JsonValue;
  }

  /** Moves behind the text that begins here; yields between pieces. */
  *skipText(): Generator<void, void> {
    const { bytes } = this;
    let at = this.at + 1;
    let nextLook = at + PIECE_BYTES;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.at = at + 1;
        return;
      }
      if (byte === BACKSLASH) at += 1;
      if (at < nextLook) continue;
      nextLook = at + PIECE_BYTES;
      yield;
    }
    throw new SyntaxError('a text without end');
  }
}

/** The position behind the text that begins at `start`; undefined where it has no end. */
export function endOfText(bytes: Buffer, start: number): number | undefined {
  for (let at = start + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return undefined;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

const ZERO = 0x30;

/** Whether a value that begins so is a number. */
export function isOfNumber(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

export function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Letters, digits, signs and the point; `JSON.parse` decides whether they form a value. */
function isOfScalar(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2e ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x45
  );
}
