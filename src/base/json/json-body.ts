/** Serializes JSON for sending. */

import { runInSlices } from '../time-slices.js';
import { ExactInteger } from './exact-integer.js';

/** A smaller value is serialized in one step, to text. */
const SMALL_CHARACTERS = 256 * 1024;

/** The approximate size of a value, beside the characters of its texts. */
const VALUE_CHARACTERS = 8;

/**
 * Limit of a body: twice what a request may have, and more than any provider takes. Escapes and repetition can make a
 * body many times as large as the request that it is made from.
 */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body would have more than `MAX_BODY_BYTES`. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor() {
    super(`The request becomes larger than the ${MAX_BODY_BYTES} bytes that are sent to a provider`);
  }
}

/** Encoded at a time; takes some milliseconds. */
const CHUNK_CHARACTERS = 128 * 1024;

/**
 * As `JSON.stringify`, for a value without cycles and methods, with exact integers. A large one becomes bytes and yields
 * to the event loop. Rejects with `BodyTooLarge`.
 */
export async function jsonBody(value: object): Promise<string | Uint8Array> {
  const room = roomLeft(value, SMALL_CHARACTERS);
  return room > 0 ? JSON.stringify(value) : runInSlices(bytesOf(value));
}

/** As `JSON.stringify`, with exact integers. */
export function exactJson(value: unknown): string {
  return hasExactInteger(value) ? [...tokensOf(value)].join('') : JSON.stringify(value);
}

/** Whether an integer is in it that `JSON.stringify` would change. */
export function hasExactInteger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof ExactInteger || Object.values(value).some(hasExactInteger);
}

/** How many of the characters are left after serializing the value; stops when none are, as after an exact integer. */
function roomLeft(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length;
  let room = characters - VALUE_CHARACTERS;
  if (typeof value !== 'object' || value === null) return room;
  if (value instanceof ExactInteger) return 0;
  for (const name in value) {
    if (room <= 0) break;
    room = roomLeft((value as Readonly<Record<string, unknown>>)[name], room - name.length);
  }
  return room;
}

function* bytesOf(value: object): Generator<void, Uint8Array> {
  const chunks: Buffer[] = [];
  let pending = '';
  let bytes = 0;
  const take = () => {
    const chunk = Buffer.from(pending);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
    pending = '';
  };
  for (const token of tokensOf(value)) {
    pending += token;
    if (pending.length < CHUNK_CHARACTERS) continue;
    take();
    yield;
  }
  take();
  return Buffer.concat(chunks);
}

/**
 * Hands the canonical JSON (RFC 8785) of a value on, with exact integers: equal values have the same, whatever the order of
 * their members. Yields between pieces.
 */
export function* canonicalJson(value: unknown, take: (text: string) => void): Generator<void, void> {
  let pending = '';
  for (const token of tokensOf(value, sortedEntries)) {
    pending += token;
    if (pending.length < CHUNK_CHARACTERS) continue;
    take(pending);
    pending = '';
    yield;
  }
  take(pending);
}

/** By UTF-16 code units, which is how texts are compared. */
function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The JSON of a value; a long text in several tokens. */
function* tokensOf(
  value: unknown,
  entriesOf: (value: object) => [string, unknown][] = Object.entries,
): Generator<string, void> {
  if (typeof value === 'string' && value.length > CHUNK_CHARACTERS) yield* tokensOfText(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (value instanceof ExactInteger) yield value.digits;
  else if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) {
      if (index > 0) yield ',';
      yield* tokensOf(element, entriesOf);
    }
    yield ']';
  } else {
    let between = '{';
    for (const [name, member] of entriesOf(value)) {
      if (member === undefined) continue;
      yield `${between}${JSON.stringify(name)}:`;
      yield* tokensOf(member, entriesOf);
      between = ',';
    }
    yield between === '{' ? '{}' : '}';
  }
}

function* tokensOfText(text: string): Generator<string, void> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = at + CHUNK_CHARACTERS;
    // A surrogate pair that is split would be serialized as two escapes.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield JSON.stringify(text.slice(at, next)).slice(1, -1);
    at = next;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
