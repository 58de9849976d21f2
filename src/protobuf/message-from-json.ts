import type { DescField, DescMessage, JsonObject, JsonValue, MessageShape } from '@bufbuild/protobuf';
import { MAX_DEPTH } from '../base/json/bounded/depth.js';
import { ExactInteger } from '../base/json/exact-integer.js';
import { setMember } from '../base/json/json-value.js';
import { wellFormed } from '../base/text.js';
import { fieldMembersOf, isJsonObject } from './members.js';
import { type ReadResult, readMessage } from './read.js';
import { shapeOf } from './shape.js';

/**
 * Reads JSON that the gateway itself has made. It may contain what providers sent and no message takes, which does not
 * end the call: halves of characters, as JSON escapes them, become U+FFFD, what is nested too deeply becomes null, and
 * integers beyond 2^53 the number next to them. A member whose value its field can't hold stands, as it came, among those
 * that have no field. Throws a TypeError where it does not fit a message that has no such place.
 */
export function messageFromJson<D extends DescMessage>(desc: D, json: object): MessageShape<D> {
  const plain = withNumbers(json) as JsonValue;
  const asItIs = readMessage(desc, plain);
  if (asItIs.ok) return asItIs.message as MessageShape<D>;
  const read = readWithMisfits(desc, representable(plain));
  if (read.ok) return read.message as MessageShape<D>;
  const violations = read.violations.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`an answer does not fit ${desc.typeName}: ${violations.join('; ')}`);
}

function readWithMisfits(desc: DescMessage, json: JsonValue): ReadResult {
  const read = readMessage(desc, json);
  const shape = shapeOf(desc);
  if (read.ok || shape.kind !== 'object' || shape.open === undefined || !isJsonObject(json)) return read;
  return readApart(desc, json, shape.open);
}

function readApart(desc: DescMessage, json: JsonObject, { localName }: DescField): ReadResult {
  const fitting: JsonObject = {};
  const misfits: JsonObject = {};
  for (const [name, value] of Object.entries(json))
    setMember(readMessage(desc, { [name]: value }).ok ? fitting : misfits, name, value);
  const read = readMessage(desc, fitting);
  if (!read.ok) return read;
  const target = fieldMembersOf(read.message);
  target[localName] = { ...(target[localName] as JsonObject | undefined), ...misfits };
  return read;
}

/** The very value where no integer is beyond 2^53. */
function withNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ExactInteger) return value.toJSON();
  if (Array.isArray(value)) {
    const list = value.map(withNumbers);
    return list.every((one, index) => one === value[index]) ? value : list;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [name, one] of Object.entries(value)) {
    const plain = withNumbers(one);
    if (plain === one) continue;
    changed ??= { ...value };
    setMember(changed, name, plain);
  }
  return changed ?? value;
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
