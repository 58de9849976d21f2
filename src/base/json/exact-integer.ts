/**
 * Integers that no number of JavaScript holds exactly, such as seeds and bounds of schemas of 64 bits, on their way from a
 * client's JSON to a provider's. In between they are texts that no client sends: a control character, then the digits.
 */

const MARK = '\u0000int:';
const SERIALIZED_MARK = '"\\u0000int:';

const SERIALIZED = /"\\u0000int:(-?\d{16,100})"/g;

/** The value for an integer of JSON: itself where a number holds it, else the text that stands for it. */
export function exactInteger(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : `${MARK}${digits}`;
}

/** JSON in which the texts that stand for integers are integers again. */
export function withExactIntegers(json: string): string {
  return json.includes(SERIALIZED_MARK) ? json.replace(SERIALIZED, '$1') : json;
}
