/**
 * JSON without halves of surrogate pairs, which texts hold that were cut by code units: no UTF-8 can say one, and hosts refuse what
 * spells one as an escape. U+FFFD takes its place, as in the decoders of other languages.
 */
import { wellFormed } from '../text.js';
import { isObject, type JsonObject } from './json-value.js';

/** Whether bytes of JSON spell a surrogate as an escape; without one its texts are whole. */
export function hasSurrogateEscape(bytes: Buffer): boolean {
  return bytes.includes('\\ud') || bytes.includes('\\uD');
}

/** The very value where its texts are whole. Throws a RangeError for JSON nested deeper than the stack. */
export function wellFormedJson<T>(json: T): T {
  return wholeIn(json, '') as T;
}

/** Holds JSON in a text of a chat. */
const ARGUMENTS = 'arguments';

function wholeIn(value: unknown, member: string): unknown {
  if (typeof value === 'string') {
    const text = wellFormed(value);
    return member === ARGUMENTS ? withoutLoneEscapes(text) : text;
  }
  if (Array.isArray(value)) {
    const changed = value.map((element) => wholeIn(element, ''));
    return changed.every((element, index) => element === value[index]) ? value : changed;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [wellFormed(name), wholeIn(one, name)] as const);
  const isSame = entries.every(([name, one]) => Object.hasOwn(value, name) && value[name] === one);
  return isSame ? value : Object.fromEntries(entries);
}

/** Values of classes of our own hold no texts of clients. */
function isPlainObject(value: unknown): value is JsonObject {
  return isObject(value) && (Object.getPrototypeOf(value) ?? Object.prototype) === Object.prototype;
}

/** A pair is passed over as a whole, and so is a backslash that is escaped itself. */
const ESCAPES =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^u]/g;

/** JSON within a text, which spells surrogates as escapes. */
function withoutLoneEscapes(json: string): string {
  if (!/\\u[dD]/.test(json)) return json;
  return json.replace(ESCAPES, (spelled) => (spelled.length === '\\ud800'.length ? '\\ufffd' : spelled));
}
