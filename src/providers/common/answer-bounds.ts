/** Maximums of what an answer may contain. Processing and storing these things takes more than their bytes. */
import { MAX_CHOICES } from '../../formats/answer-size.js';
import { elements } from '../../formats/json.js';
import { malformed } from './failures.js';

/** Tool calls of one message. */
export const MAX_CALLS = 1_000;

/** Content blocks, parts, thoughts and sources of one message. */
export const MAX_BLOCKS = 10_000;

/** Members of an answer besides its choices, and counts of its usage. */
export const MAX_MEMBERS = 200;

/**
 * Characters of the arguments of one call that come as an object: they are serialized, searched and serialized again.
 */
export const MAX_ARGUMENTS_CHARACTERS = 6 * 1024 * 1024;

/** Characters of a stream that are kept until its end: as many as one event may have. */
export const MAX_COLLECTED_CHARACTERS = 16 * 1024 * 1024;

/** The elements of a list, none for any other value. Throws `UpstreamFailure` `malformed` for more than `max`. */
export function boundedElements(value: unknown, max: number): readonly unknown[] {
  const list = elements(value);
  checkCount(list.length, max);
  return list;
}

/** Throws `UpstreamFailure` `malformed` for more than `max`. */
export function checkCount(count: number, max: number): void {
  if (count > max) throw malformed();
}

/** The index of a choice, by default its position. Throws `UpstreamFailure` `malformed` if no request can have it. */
export function choiceIndex(index: unknown, position: number): number {
  if (typeof index !== 'number') return position;
  if (Number.isInteger(index) && index >= 0 && index < MAX_CHOICES) return index;
  throw malformed();
}
