/** How much structure a JSON text has, counted before anything is made of it. */
import { BRACE, BRACKET, COMMA, endOfString, QUOTE } from '../wire/json-pieces.js';

/** The shortest object or list in a list, with its comma. */
const SHORTEST_BYTES = 3;

/** The shortest value in a list, with its comma. */
const SHORTEST_VALUE_BYTES = 2;

/**
 * Whether the text has more objects and lists than so many. Looks no further than it must; what is within strings is
 * skipped and not looked at. Of a text that is not JSON the answer means nothing, but there is one.
 */
export function exceedsStructure(bytes: Buffer, max: number): boolean {
  return bytes.length > max * SHORTEST_BYTES && exceeds(bytes, max, false);
}

/** As `exceedsStructure`, but each member and element beyond the first of its object or list counts too. */
export function exceedsValues(bytes: Buffer, max: number): boolean {
  return bytes.length > max * SHORTEST_VALUE_BYTES && exceeds(bytes, max, true);
}

function exceeds(bytes: Buffer, max: number, areValuesCounted: boolean): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === undefined) return false;
      at = end - 1;
    } else if (byte === BRACKET || byte === BRACE || (areValuesCounted && byte === COMMA)) {
      count += 1;
      if (count > max) return true;
    }
  }
  return false;
}
