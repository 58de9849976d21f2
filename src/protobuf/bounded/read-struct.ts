/**
 * Reads `google.protobuf.Struct` in its binary form as plain JSON; the library makes several messages of each value.
 */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { setMember } from '../../base/json/json-value.js';
import type { BinarySource } from './binary-source.js';

/** Reads the members of a Struct that ends at `end` into those that it has already. Throws as `readBinary` does. */
export function* readBoundedStruct(
  source: BinarySource,
  end: number,
  depth: number,
  before: unknown,
): Generator<void, JsonObject> {
  source.enter(depth);
  const members = (before as JsonObject | undefined) ?? {};
  while (source.pos < end) {
    if (source.isDue) yield;
    const [number, type] = source.tag();
    source.count.value();
    if (number !== 1 || type !== WireType.LengthDelimited) {
      yield* source.skipField(number, type, depth);
      continue;
    }
    const [name, value] = yield* readEntry(source, source.endOfDelimited(end), depth);
    source.count.name(name);
    setMember(members, name, value);
  }
  source.leave(end);
  return members;
}

function* readEntry(
  source: BinarySource,
  end: number,
  depth: number,
): Generator<void, [name: string, value: JsonValue]> {
  let name = '';
  let value: JsonValue | undefined;
  while (source.pos < end) {
    const [number, type] = source.tag();
    if (type !== WireType.LengthDelimited || number < 1 || number > 2) {
      source.count.value();
      yield* source.skipField(number, type, depth);
    } else if (number === 1) name = source.shortText(end) ?? (yield* source.longText(end));
    else value = yield* readValue(source, source.endOfDelimited(end), depth);
  }
  source.leave(end);
  return [name, requireValue(value)];
}

/** Numbers of the fields of `google.protobuf.Value`. */
const KIND = { null: 1, number: 2, string: 3, bool: 4, struct: 5, list: 6 } as const;

function* readValue(source: BinarySource, end: number, depth: number): Generator<void, JsonValue> {
  let value: JsonValue | undefined;
  let isFirst = true;
  while (source.pos < end) {
    if (!isFirst) source.count.value();
    isFirst = false;
    const [number, type] = source.tag();
    if (number === KIND.null && type === WireType.Varint) {
      source.int32();
      value = null;
    } else if (number === KIND.number && type === WireType.Bit64) value = source.double();
    else if (number === KIND.string && type === WireType.LengthDelimited)
      value = source.shortText(end) ?? (yield* source.longText(end));
    else if (number === KIND.bool && type === WireType.Varint) value = source.bool();
    else if (number === KIND.struct && type === WireType.LengthDelimited) {
      value = yield* readBoundedStruct(source, source.endOfDelimited(end), depth + 1, undefined);
    } else if (number === KIND.list && type === WireType.LengthDelimited) {
      value = yield* readList(source, source.endOfDelimited(end), depth + 1);
    } else yield* source.skipField(number, type, depth);
  }
  source.leave(end);
  return requireValue(value);
}

function* readList(source: BinarySource, end: number, depth: number): Generator<void, JsonValue[]> {
  source.enter(depth);
  const elements: JsonValue[] = [];
  while (source.pos < end) {
    if (source.isDue) yield;
    const [number, type] = source.tag();
    source.count.value();
    if (number === 1 && type === WireType.LengthDelimited) {
      elements.push(yield* readValue(source, source.endOfDelimited(end), depth));
    } else yield* source.skipField(number, type, depth);
  }
  source.leave(end);
  return elements;
}

/** Throws a TypeError for a missing value and for a number that JSON can't represent. */
function requireValue(value: JsonValue | undefined): JsonValue {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) {
    throw new TypeError('a value that JSON can not represent');
  }
  return value;
}
