/** JSON as it is sent. */
import { inTurns } from './turns.js';

/** A value of less is written at once, and is sent as text. */
const SMALL_CHARACTERS = 256 * 1024;

/** What a value takes beside the characters of its texts, about. */
const VALUE_CHARACTERS = 8;

/** Characters that are turned into bytes at a time: some milliseconds' worth. */
const PIECE_CHARACTERS = 128 * 1024;

/** What `JSON.stringify` makes of a value without cycles and methods; of a large one its bytes, others having their turn. */
export async function jsonBody(value: object): Promise<string | Uint8Array> {
  const room = roomLeft(value, SMALL_CHARACTERS);
  return room > 0 ? JSON.stringify(value) : inTurns(bytesOf(value));
}

/** What is left of so many characters once the value is written; looks no further than it must. */
function roomLeft(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length;
  let room = characters - VALUE_CHARACTERS;
  if (typeof value !== 'object' || value === null) return room;
  for (const name in value) {
    if (room <= 0) break;
    room = roomLeft((value as Readonly<Record<string, unknown>>)[name], room - name.length);
  }
  return room;
}

function* bytesOf(value: object): Generator<void, Uint8Array> {
  const pieces: Buffer[] = [];
  let waiting = '';
  for (const token of tokensOf(value)) {
    waiting += token;
    if (waiting.length < PIECE_CHARACTERS) continue;
    pieces.push(Buffer.from(waiting));
    waiting = '';
    yield;
  }
  return Buffer.concat([...pieces, Buffer.from(waiting)]);
}

/** The JSON of a value; a long text in several pieces. */
function* tokensOf(value: unknown): Generator<string, void> {
  if (typeof value === 'string' && value.length > PIECE_CHARACTERS) yield* tokensOfText(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) {
      if (index > 0) yield ',';
      yield* tokensOf(element);
    }
    yield ']';
  } else {
    let between = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${between}${JSON.stringify(name)}:`;
      yield* tokensOf(member);
      between = ',';
    }
    yield between === '{' ? '{}' : '}';
  }
}

function* tokensOfText(text: string): Generator<string, void> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_CHARACTERS;
    // Halves of a character would be written as escapes.
    const next = isFirstHalf(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield JSON.stringify(text.slice(at, next)).slice(1, -1);
    at = next;
  }
  yield '"';
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
