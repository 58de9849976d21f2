import { sha256Hex } from './ids.js';

/** Longer than the names and ids that anybody gives. */
const MAX_CHARACTERS = 4096;

/** Compares by code units, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Removes these characters from the end of the text, in linear time. A pattern such as `/0+$/` would take quadratic
 * time, since it is tried at every position.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** In the order of first occurrence; null stays null. */
export function deduplicate(list: readonly string[] | null): readonly string[] | null {
  return list === null ? null : [...new Set(list)];
}

/**
 * A text that others sent, as a key of a Map or a Set: itself, or its hash where it is long. V8 tells texts of more
 * than 16,383 characters and of one length apart only by comparing each with each: a few thousand of them take many
 * seconds.
 */
export function textKey(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : sha256Hex(text);
}

/** The texts without repetitions, in the order of their first occurrence. */
export function distinctTexts(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [textKey(text), text])).values()];
}

/** Whether the text has no half of a surrogate pair alone: UTF-8 and protobuf have none, escapes of JSON can. */
export function isWellFormed(text: string): boolean {
  // The method is in every Node that we run on, but not in the ES2023 library types.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** The text with U+FFFD in place of such halves; the very text where it has none. */
export function wellFormed(text: string): string {
  // As above.
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
