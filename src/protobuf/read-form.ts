import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { checkDepth } from './depth.js';
import { fieldMembersOf, isJsonObject } from './members.js';
import { fieldReader, type MessageReaders } from './read-field.js';
import type { ReadValue } from './scalar.js';
import { type ListField, shapeOf, wrongAnnotation } from './shape.js';
import type { ViolationList } from './violations.js';

type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

const ARTICLES: Readonly<Record<JsonKind, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
};

/** Reads a Struct: any JSON object within the max depth, unchanged. */
export function readStruct(json: JsonValue, path: string, violations: ViolationList): unknown {
  if (!isJsonObject(json)) return violations.add(path, 'type', 'must be an object');
  return checkDepth(json, path, violations) ? json : undefined;
}

/** The reader of a message that is spelled as a bare array. */
export function listReader(desc: DescMessage, items: ListField, messages: MessageReaders): ReadValue {
  const read = fieldReader(items, messages);
  return (json, path, violations) => {
    const values = read(json, path, violations);
    if (values === undefined) return undefined;
    const message = create(desc);
    fieldMembersOf(message)[items.localName] = values;
    return message;
  };
}

/**
 * The reader of a message that is spelled as one of the members of its oneof; the JSON type tells which. Throws an
 * Error when two members have the same JSON type.
 */
export function unionReader(desc: DescMessage, oneof: DescOneof, messages: MessageReaders): ReadValue {
  const forms = new Map<JsonKind, { readonly name: string; readonly read: ReadValue }>();
  for (const field of oneof.fields) {
    const kind = jsonKindOfField(field);
    if (forms.has(kind))
      throw wrongAnnotation(field, `two members of the union are spelled as ${ARTICLES[kind]}`);
    forms.set(kind, { name: field.localName, read: fieldReader(field, messages) });
  }
  const wanted = `must be ${[...forms.keys()].map((kind) => ARTICLES[kind]).join(' or ')}`;
  return (json, path, violations) => {
    const form = forms.get(jsonKind(json));
    if (form === undefined) return violations.add(path, 'type', wanted);
    const value = form.read(json, path, violations);
    if (value === undefined) return undefined;
    const message = create(desc);
    fieldMembersOf(message)[oneof.localName] = { case: form.name, value };
    return message;
  };
}

function jsonKind(json: JsonValue): JsonKind {
  if (json === null) return 'null';
  if (Array.isArray(json)) return 'array';
  return typeof json as JsonKind;
}

function jsonKindOfField(field: DescField): JsonKind {
  if (field.fieldKind === 'message') return jsonKindOfMessage(field);
  if (field.fieldKind !== 'scalar' || field.scalar === ScalarType.STRING) return 'string';
  return field.scalar === ScalarType.BOOL ? 'boolean' : 'number';
}

function jsonKindOfMessage(field: DescField & { readonly fieldKind: 'message' }): JsonKind {
  const { kind } = shapeOf(field.message);
  if (kind === 'union') throw wrongAnnotation(field, 'a union cannot hold a union');
  return kind === 'list' ? 'array' : 'object';
}
