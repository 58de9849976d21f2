import { sha256Hex } from './ids.js';

/** Longer than the names and ids that anybody gives. */
const MAX_CHARACTERS = 4096;

/**
 * A text that others sent as a key of a Map or a Set: itself, or the hash of a long one. V8 tells texts beyond 16,383
 * characters that have one length apart only by comparing each with each: a few thousand of them take many seconds.
 */
export function textKey(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : sha256Hex(text);
}

/** The texts without repetitions, in the order of their first occurrence. */
export function distinctTexts(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [textKey(text), text])).values()];
}
