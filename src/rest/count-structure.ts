/** How much structure a JSON text has, counted before anything is made of it. */
import { BRACE, BRACKET, endOfString, QUOTE } from '../wire/json-pieces.js';

/** The shortest object or list in a list, with its comma. */
const SHORTEST_BYTES = 3;

/**
 * Whether the text has more objects and lists than so many. Looks no further than it must; what is within strings is
 * skipped and not looked at. Of a text that is not JSON the answer means nothing, but there is one.
 */
export function exceedsStructure(bytes: Buffer, max: number): boolean {
  if (bytes.length <= max * SHORTEST_BYTES) return false;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === undefined) return false;
      at = end - 1;
    } else if (byte === BRACKET || byte === BRACE) {
      count += 1;
      if (count > max) return true;
    }
  }
  return false;
}
