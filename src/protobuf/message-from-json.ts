import type { DescMessage, JsonValue, MessageShape } from '@bufbuild/protobuf';
import { MAX_DEPTH } from '../base/json/bounded/depth.js';
import { wellFormed } from '../base/text.js';
import { readMessage } from './read.js';

/**
 * Reads JSON that the gateway itself has made. It may contain what providers sent and no message takes, which does not
 * end the call: halves of characters, as JSON escapes them, become U+FFFD, and what is nested too deeply becomes null.
 * Throws a TypeError where it does not fit the message.
 */
export function messageFromJson<D extends DescMessage>(desc: D, json: object): MessageShape<D> {
  const asItIs = readMessage(desc, json as JsonValue);
  if (asItIs.ok) return asItIs.message as MessageShape<D>;
  const read = readMessage(desc, representable(json as JsonValue));
  if (read.ok) return read.message as MessageShape<D>;
  const violations = read.violations.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`an answer does not fit ${desc.typeName}: ${violations.join('; ')}`);
}

/** The JSON as a message can hold it: halves of characters become U+FFFD, and what is nested too deeply becomes null. */
function representable(json: JsonValue, levelsLeft = MAX_DEPTH): JsonValue {
  if (typeof json === 'string') return wellFormed(json);
  if (typeof json !== 'object' || json === null) return json;
  if (levelsLeft === 0) return null;
  if (Array.isArray(json)) return json.map((element) => representable(element, levelsLeft - 1));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [wellFormed(name), representable(value, levelsLeft - 1)]),
  );
}
