/** Reads protobuf's binary form in slices and within limits, neither of which the library's own reader has. */
import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import type { StructureCount } from '../../base/json/bounded/structure.js';
import { fieldMembersOf, type Members } from '../members.js';
import { BinarySource } from './binary-source.js';
import { readBoundedStruct } from './read-struct.js';

/**
 * As the library's `fromBinary`, but drops unknown fields; yields where it may be interrupted. Throws an Error for
 * bytes that are not such a message, and a 400 Problem for more structure than the count allows.
 */
export function* readBinary<Desc extends DescMessage>(
  desc: Desc,
  bytes: Uint8Array,
  count: StructureCount,
): Generator<void, Message> {
  const message = create(desc);
  yield* readFields(desc, message, new BinarySource(bytes, count), bytes.length, 1);
  return message;
}

function* readFields(
  desc: DescMessage,
  message: Message,
  source: BinarySource,
  end: number,
  depth: number,
): Generator<void, void> {
  source.enter(depth);
  const fields = fieldsOf(desc);
  const members = fieldMembersOf(message);
  while (source.pos < end) {
    if (source.isDue) yield;
    const [number, type] = source.tag();
    const field = fields.get(number);
    source.count.value();
    if (field === undefined || !fits(field, type)) {
      yield* source.skipField(number, type, depth);
      continue;
    }
    // The fast path of most fields: a generator for each would cost more than reading it.
    const scalar = field.fieldKind === 'list' ? undefined : scalarOf(field);
    const value = scalar === undefined ? undefined : readScalar(scalar, source, end);
    if (value !== undefined) setField(field, members, value);
    else yield* readField(field, type, members, source, end, depth);
  }
  source.leave(end);
}

const fieldsByNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  const known = fieldsByNumber.get(desc);
  if (known !== undefined) return known;
  const fields = new Map(desc.fields.map((field) => [field.number, field]));
  fieldsByNumber.set(desc, fields);
  return fields;
}

/** Whether the field can have the wire type; lists may be packed. */
function fits(field: DescField, type: WireType): boolean {
  const scalar = scalarOf(field);
  if (scalar === undefined) return type === WireType.LengthDelimited;
  return type === wireTypeOf(scalar) || (type === WireType.LengthDelimited && field.fieldKind === 'list');
}

/** The scalar type of the field or of its elements; undefined for messages and maps. */
function scalarOf(field: DescField): ScalarType | undefined {
  if (field.fieldKind === 'map' || field.message !== undefined) return undefined;
  return field.enum === undefined ? field.scalar : ScalarType.INT32;
}

function wireTypeOf(scalar: ScalarType): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

function* readField(
  field: DescField,
  type: WireType,
  members: Members,
  source: BinarySource,
  end: number,
  depth: number,
): Generator<void, void> {
  if (field.fieldKind === 'map') {
    // No request of the contract has a map.
    yield* source.skipField(field.number, type, depth);
    return;
  }
  if (field.fieldKind === 'list') {
    yield* readElements(field, type, members[field.localName] as unknown[], source, end, depth);
    return;
  }
  const before = currentValue(field, members);
  const value =
    field.message === undefined
      ? yield* source.longText(end)
      : yield* readMessage(field.message, before, source, end, depth);
  setField(field, members, value);
}

function setField({ localName, oneof }: DescField, members: Members, value: unknown): void {
  if (oneof === undefined) members[localName] = value;
  else members[oneof.localName] = { case: localName, value };
}

/** What the field has so far: a message that is sent again is merged with what was sent before. */
function currentValue({ localName, oneof }: DescField, members: Members): unknown {
  if (oneof === undefined) return members[localName];
  const set = members[oneof.localName] as { readonly case: string | undefined; readonly value?: unknown };
  return set.case === localName ? set.value : undefined;
}

function* readElements(
  field: DescField & { readonly fieldKind: 'list' },
  type: WireType,
  elements: unknown[],
  source: BinarySource,
  end: number,
  depth: number,
): Generator<void, void> {
  if (field.message !== undefined) {
    elements.push(yield* readMessage(field.message, undefined, source, end, depth));
    return;
  }
  const scalar = scalarOf(field) ?? ScalarType.INT32;
  if (type === wireTypeOf(scalar)) {
    elements.push(readScalar(scalar, source, end) ?? (yield* source.longText(end)));
    return;
  }
  const packedEnd = source.endOfDelimited(end);
  while (source.pos < packedEnd) {
    source.count.number();
    elements.push(readScalar(scalar, source, packedEnd));
  }
}

function* readMessage(
  desc: DescMessage,
  before: unknown,
  source: BinarySource,
  end: number,
  depth: number,
): Generator<void, unknown> {
  const messageEnd = source.endOfDelimited(end);
  if (desc.typeName === 'google.protobuf.Struct') {
    return yield* readBoundedStruct(source, messageEnd, depth + 1, before);
  }
  const message = (before as Message | undefined) ?? create(desc);
  yield* readFields(desc, message, source, messageEnd, depth + 1);
  return message;
}

/** Undefined for a text that is too long to be read at once. */
function readScalar(scalar: ScalarType, source: BinarySource, end: number): unknown {
  switch (scalar) {
    case ScalarType.STRING:
      return source.shortText(end);
    case ScalarType.BYTES:
      return source.copy(end);
    case ScalarType.BOOL:
      return source.bool();
    case ScalarType.DOUBLE:
      return source.double();
    case ScalarType.FLOAT:
      return source.float();
    case ScalarType.INT32:
      return source.int32();
    case ScalarType.UINT32:
      return source.uint32();
    case ScalarType.SINT32:
      return source.sint32();
    case ScalarType.FIXED32:
      return source.fixed32();
    case ScalarType.SFIXED32:
      return source.sfixed32();
    case ScalarType.INT64:
      return source.int64();
    case ScalarType.UINT64:
      return source.uint64();
    case ScalarType.SINT64:
      return source.sint64();
    case ScalarType.FIXED64:
      return source.fixed64();
    case ScalarType.SFIXED64:
      return source.sfixed64();
  }
}
