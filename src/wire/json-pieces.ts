/** The members and elements of JSON text, found without reading what they are. */
import { Spans } from './spans.js';

/** Begins a string, and ends it. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What parts elements and members. */
export const COMMA = 0x2c;
/** Parts a member's name from its value. */
export const COLON = 0x3a;
/** Begins an array. */
export const BRACKET = 0x5b;
/** Begins an object. */
export const BRACE = 0x7b;
/** From an opening one to the closing one that stands for its other half. */
export const OTHER_HALF = 2;

/** What the text is, as far as its first and last character tell. */
export type JsonForm = 'array' | 'object' | 'value';

/** The form of a text without space around it. Throws a SyntaxError where the one half of a pair is missing. */
export function formOf(text: Buffer): JsonForm {
  const [first] = text;
  if (first !== BRACKET && first !== BRACE) return 'value';
  if (text.length < 2 || text[text.length - 1] !== first + OTHER_HALF) throw new SyntaxError('unbalanced');
  return first === BRACKET ? 'array' : 'object';
}

/** What stands between the commas of an array or object that are in nothing else; whether it is JSON is not known. */
export function piecesOf(text: Buffer): Spans {
  const pieces = new Spans(text);
  const last = text.length - 1;
  let start = 1;
  let open = 0;
  for (let at = 1; at < last; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = behindString(text, at) - 1;
    else if (byte === BRACKET || byte === BRACE) open += 1;
    else if (byte === BRACKET + OTHER_HALF || byte === BRACE + OTHER_HALF) open -= 1;
    else if (byte === COMMA && open === 0) {
      pieces.add(start, at);
      start = at + 1;
    }
  }
  if (pieces.length > 0 || trimmed(text.subarray(start, last)).length > 0) pieces.add(start, last);
  return pieces;
}

/** The name and the value's text of a member. Throws a SyntaxError for what is none. */
export function memberIn(piece: Buffer): [string, Buffer] {
  const member = trimmed(piece);
  const end = member[0] === QUOTE ? behindString(member, 0) : 0;
  const name: unknown = JSON.parse(member.toString('utf8', 0, end));
  const rest = trimmed(member.subarray(end));
  if (typeof name !== 'string' || rest[0] !== COLON) throw new SyntaxError('a member without a name');
  return [name, trimmed(rest.subarray(1))];
}

/** The text without the space around it. */
export function trimmed(text: Buffer): Buffer {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}

function behindString(text: Buffer, start: number): number {
  const end = endOfString(text, start);
  if (end === undefined) throw new SyntaxError('a string without end');
  return end;
}

/** The position behind the string that begins at `start`; undefined where it has no end. */
export function endOfString(text: Buffer, start: number): number | undefined {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf(QUOTE, at);
    if (quote < 0) return undefined;
    let slashes = 0;
    while (text[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

/** Whether the byte is space between values. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
