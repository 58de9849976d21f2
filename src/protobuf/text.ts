/** Texts of many megabytes, made of their bytes piece by piece: V8 takes a third of a second for some in one. */
import { isUtf8 } from 'node:buffer';

/** Decoded in one: at most a millisecond. */
const PIECE_BYTES = 128 * 1024;

/** What stands for bytes that are not UTF-8, and is a character too. */
const REPLACEMENT = '\ufffd';

/** The text of these bytes; yields between pieces. Throws a TypeError for bytes that are not UTF-8. */
export function* textOf(bytes: Buffer, start: number, end: number): Generator<void, string> {
  if (end - start <= PIECE_BYTES) return wholeText(bytes, start, end);
  let text = '';
  for (let at = start; at < end; ) {
    const next = characterBefore(bytes, Math.min(end, at + PIECE_BYTES), end);
    text += wholeText(bytes, at, next);
    at = next;
    yield;
  }
  return text;
}

/** The text of these bytes, made at once. Throws a TypeError for bytes that are not UTF-8. */
export function wholeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) throw new TypeError('not UTF-8');
  return text;
}

/** The position, or the beginning of the character that it is in the midst of. */
function characterBefore(bytes: Buffer, position: number, end: number): number {
  let at = position;
  while (at < end && at > position - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
