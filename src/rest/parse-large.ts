/** JSON of many megabytes, parsed piece by piece: its text never stands in memory beside its bytes and its values. */
import type { JsonValue } from '@bufbuild/protobuf';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Elements are parsed on their own down to this depth: members of the body, and elements of the lists in them. */
const DEPTH = 2;

/**
 * What `JSON.parse` gives of the text. Throws a SyntaxError where that would, though maybe with other words.
 * `bytes` are UTF-8.
 */
export function parseLargeJson(bytes: Buffer): JsonValue {
  return parsePiece(bytes, DEPTH);
}

function parsePiece(bytes: Buffer, depth: number): JsonValue {
  const text = trimmed(bytes);
  const first = text[0];
  if (depth === 0 || first === undefined || !OPENING.has(first)) return JSON.parse(text.toString('utf8'));
  const inner = trimmed(text.subarray(1, -1));
  // Each half of a pair is what the other stands for.
  if (text[text.length - 1] !== first + 2) throw new SyntaxError('unbalanced');
  const pieces = inner.length === 0 ? [] : piecesOf(inner);
  if (first === 0x5b) return pieces.map((piece) => parsePiece(piece, depth - 1));
  const members: [string, JsonValue][] = pieces.map((piece) => memberOf(piece, depth));
  return Object.fromEntries(members);
}

function memberOf(piece: Buffer, depth: number): [string, JsonValue] {
  const end = endOfString(piece, 0);
  const name: unknown = JSON.parse(piece.subarray(0, end).toString('utf8'));
  const rest = trimmed(piece.subarray(end));
  if (typeof name !== 'string' || rest[0] !== 0x3a) throw new SyntaxError('a member without a name');
  return [name, parsePiece(rest.subarray(1), depth - 1)];
}

/** What stands between the commas that are in nothing else. */
function piecesOf(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  let open = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (OPENING.has(byte)) open += 1;
    else if (CLOSING.has(byte)) open -= 1;
    else if (byte === COMMA && open === 0) {
      pieces.push(trimmed(bytes.subarray(start, at)));
      start = at + 1;
    }
  }
  return [...pieces, trimmed(bytes.subarray(start))];
}

/** The position behind the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) throw new SyntaxError('a string without end');
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

function trimmed(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
