/**
 * How a message is spelled in REST JSON, worked out once per descriptor from the options of `byway.options.v1`.
 * Reading, writing, field paths and the published description all start from here.
 */
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import {
  type FieldRule,
  field as fieldOption,
  type MessageRule,
  message as messageOption,
  Presence,
} from '../../gen/byway/options/v1/options_pb.js';
import { isJsonObject } from './members.js';

/** One member of a JSON object. */
export interface Member {
  /** The field's name in the proto file: the member's name in JSON. */
  readonly name: string;
  /** The property of the message in TypeScript. */
  readonly key: string;
  readonly field: DescField;
  readonly rule: FieldRule;
}

/** A field that repeats. */
export type ListField = DescField & { readonly fieldKind: 'list' };

/** The JSON form of a message. */
export type Shape =
  /** `google.protobuf.Struct`: any JSON object, as it is. */
  | { readonly kind: 'struct' }
  /** A bare array of the one repeated field. */
  | { readonly kind: 'list'; readonly items: ListField }
  /** Whichever member of the one oneof is set. */
  | { readonly kind: 'union'; readonly oneof: DescOneof }
  /** An object. */
  | {
      readonly kind: 'object';
      readonly members: readonly Member[];
      /** The Struct that holds the members which have no field. */
      readonly open: DescField | undefined;
      /** What an answer has where the message has no value. */
      readonly neutral: JsonObject;
    };

const STRUCT = 'google.protobuf.Struct';
const shapes = new WeakMap<DescMessage, Shape>();
const rules = new WeakMap<DescField, FieldRule>();

/**
 * The JSON form of the message. Throws an Error that names file and element for an annotation that does not
 * fit its message, and for kinds of fields that REST JSON has no spelling for.
 */
export function shapeOf(desc: DescMessage): Shape {
  const known = shapes.get(desc);
  if (known !== undefined) return known;
  const shape = findShape(desc);
  shapes.set(desc, shape);
  return shape;
}

/**
 * The field's spelling rule; a field without one has the defaults. Cached, since reading an option decodes it each
 * time.
 */
export function fieldRule(field: DescField): FieldRule {
  const known = rules.get(field);
  if (known !== undefined) return known;
  const rule = getOption(field, fieldOption);
  rules.set(field, rule);
  return rule;
}

/** Whether an answer may be without the field. */
export function mayBeLeftOut({ presence }: FieldRule): boolean {
  return presence === Presence.OMITTED || presence === Presence.EMPTY_OMITTED;
}

/** `google.protobuf.Struct` is a plain JSON object in TypeScript too. */
function isStruct(desc: DescMessage): boolean {
  return desc.typeName === STRUCT;
}

/** An error of the contract itself: it stops the start. */
export function wrongAnnotation(element: DescMessage | DescField, reason: string): Error {
  const { file } = element.kind === 'field' ? element.parent : element;
  return new Error(`${file.name}.proto: ${element.toString()}: ${reason}`);
}

function findShape(desc: DescMessage): Shape {
  if (isStruct(desc)) return { kind: 'struct' };
  if (desc.typeName.startsWith('google.protobuf.'))
    throw wrongAnnotation(desc, 'has no spelling in REST JSON');
  const rule = getOption(desc, messageOption);
  if (rule.bareList) return listShape(desc);
  if (rule.union) return unionShape(desc);
  return objectShape(desc, rule);
}

function listShape(desc: DescMessage): Shape {
  const [items] = desc.fields;
  if (desc.fields.length !== 1 || items?.fieldKind !== 'list') {
    throw wrongAnnotation(desc, 'bare_list needs exactly one field, a repeated one');
  }
  return { kind: 'list', items };
}

function unionShape(desc: DescMessage): Shape {
  const [oneof] = desc.oneofs;
  if (desc.members.length !== 1 || oneof === undefined) {
    throw wrongAnnotation(desc, 'union needs exactly one oneof and nothing beside it');
  }
  return { kind: 'union', oneof };
}

function objectShape(
  desc: DescMessage,
  { openMembers: openName, neutralMembers }: Pick<MessageRule, 'openMembers' | 'neutralMembers'>,
): Shape {
  const open = desc.fields.find((field) => field.name === openName);
  if (openName !== '' && (open?.fieldKind !== 'message' || !isStruct(open.message))) {
    throw wrongAnnotation(desc, `open_members names ${openName}, which is not a field of type ${STRUCT}`);
  }
  const members = desc.fields.filter((field) => field !== open).map(toMember);
  return { kind: 'object', members, open, neutral: neutralOf(desc, neutralMembers) };
}

function neutralOf(desc: DescMessage, text: string): JsonObject {
  if (text === '') return {};
  const neutral = JSON.parse(text) as JsonValue;
  if (!isJsonObject(neutral)) throw wrongAnnotation(desc, 'neutral_members is not a JSON object');
  return neutral;
}

function toMember(field: DescField): Member {
  if (field.oneof !== undefined)
    throw wrongAnnotation(field, 'a oneof is spelled only in a message marked as union');
  return { name: field.name, key: field.localName, field, rule: fieldRule(field) };
}
