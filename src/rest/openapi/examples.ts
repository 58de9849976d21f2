/** Examples made of the descriptors: each member with the example value of its name, else with a plain one. */
import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { Presence } from '../../../gen/byway/options/v1/options_pb.js';
import { isJsonObject } from '../../protobuf/members.js';
import { addNeutralMembers } from '../../protobuf/neutral.js';
import { type ListField, type Member, type Shape, shapeOf, wrongAnnotation } from '../../protobuf/shape.js';
import { answeredEnums, enumSpellings } from '../../protobuf/spelling.js';
import type { Body } from '../operation.js';
import { EXAMPLE_VALUES, OPTIONAL_BODY_MEMBERS } from './example-values.js';
import { showsNull } from './field-schema.js';
import { isRequired } from './rules.js';

/** An answer with all members that it always has, and those sometimes left out for which an example value is known. */
export function answerExample(desc: DescMessage): JsonValue {
  return messageExample(desc, isAnswered);
}

/** A body with the members that it must have, and a few more. */
export function bodyExample({ message, without }: Body): JsonValue {
  return messageExample(message, (member) => !without.has(member.name) && isSent(member));
}

/** A value of a field that a path or query holds. */
export function exampleOfField(field: DescField): JsonValue {
  return fieldExample(field, isSent);
}

type IsShown = (member: Member) => boolean;
type ObjectShape = Shape & { readonly kind: 'object' };

function isAnswered({ field, rule }: Member): boolean {
  return !rule.inputOnly && (rule.presence !== Presence.OMITTED || knownValue(field) !== undefined);
}

function isSent({ field, name, rule }: Member): boolean {
  if (rule.readOnly) return false;
  const key = rule.presence === Presence.OMITTED ? `${field.parent.name}.${name}` : name;
  return isRequired(field) || OPTIONAL_BODY_MEMBERS.has(key);
}

function messageExample(desc: DescMessage, isShown: IsShown): JsonValue {
  const shape = shapeOf(desc);
  switch (shape.kind) {
    case 'struct':
      return {};
    case 'list':
      return fieldExample(shape.items, isShown);
    case 'union': {
      const [form] = shape.oneof.fields;
      return form === undefined ? null : fieldExample(form, isShown);
    }
    case 'object':
      return objectExample(shape, isShown);
  }
}

function objectExample({ members, neutral }: ObjectShape, isShown: IsShown): JsonObject {
  const entries = members.filter(isShown).map(({ name, field }): [string, JsonValue] => {
    const isUnset = isShown === isAnswered && showsNull(field) && knownValue(field) === undefined;
    return [name, isUnset ? null : fieldExample(field, isShown)];
  });
  const example = Object.fromEntries(entries);
  if (isShown === isAnswered) addNeutralMembers(example, neutral);
  return example;
}

function fieldExample(field: DescField, isShown: IsShown): JsonValue {
  const known = knownValue(field);
  if (known !== undefined) return known;
  switch (field.fieldKind) {
    case 'scalar':
      return plainValue(field);
    case 'enum':
      return answeredEnums(field.enum)[0] ?? null;
    case 'message':
      return messageExample(field.message, isShown);
    case 'list':
      return [itemExample(field, isShown)];
    case 'map':
      throw wrongAnnotation(field, 'a map has no spelling in REST JSON');
  }
}

function itemExample(field: ListField, isShown: IsShown): JsonValue {
  if (field.listKind === 'message') return messageExample(field.message, isShown);
  return field.listKind === 'enum' ? (answeredEnums(field.enum)[0] ?? null) : plainValue(field);
}

function plainValue(field: DescField): JsonValue {
  if (field.scalar === ScalarType.STRING) return field.name;
  return field.scalar === ScalarType.BOOL ? false : 0;
}

/** The example value of the field's name, where it has the field's type. */
function knownValue(field: DescField): JsonValue | undefined {
  const own = `${field.parent.name}.${field.name}`;
  const value = EXAMPLE_VALUES.get(EXAMPLE_VALUES.has(own) ? own : field.name);
  if (value === undefined) return undefined;
  const holder = (field.fieldKind === 'message' ? wrappedList(field.message) : undefined) ?? field;
  if (!fits(holder, value)) return undefined;
  return holder.fieldKind === 'list' ? [value] : value;
}

function wrappedList(desc: DescMessage): ListField | undefined {
  const shape = shapeOf(desc);
  return shape.kind === 'list' ? shape.items : undefined;
}

function fits(field: DescField, value: JsonValue): boolean {
  if (field.enum !== undefined) return enumSpellings(field.enum).some((spelling) => spelling === value);
  if (field.message !== undefined) return isJsonObject(value) && shapeOf(field.message).kind === 'struct';
  return field.scalar !== undefined && typeof value === typeof plainValue(field);
}
