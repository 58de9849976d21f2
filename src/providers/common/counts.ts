import { ExactInteger } from '../../base/json/exact-integer.js';
import { members } from '../../formats/json.js';
import { shortAnswerJson } from './answer-json.js';
import { malformed } from './failures.js';

/**
 * A count of the provider's usage; undefined if there is no number. NaN for anything but an integer of at least 0:
 * neither such a count nor a sum with it is used.
 */
export function countOf(value: unknown): number | undefined {
  if (value instanceof ExactInteger) return countOf(Number(value.digits));
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && value >= 0 ? value : Number.NaN;
}

/** The tokens of a prompt, from the text of a count. Throws `UpstreamFailure` `malformed` if there are none. */
export function readCount(text: string): number {
  const { input_tokens } = members(shortAnswerJson(text));
  if (typeof input_tokens !== 'number') throw malformed();
  return input_tokens;
}
