import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { RepeatedRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { Presence, TextFormat } from '../../../gen/byway/options/v1/options_pb.js';
import { onNull } from '../../protobuf/read-field.js';
import { integerRange } from '../../protobuf/scalar.js';
import { fieldRule, type ListField, type Member, shapeOf, wrongAnnotation } from '../../protobuf/shape.js';
import { enumSpelling, enumSpellings } from '../../protobuf/spelling.js';
import { commentOf, described } from './comments.js';
import {
  allowsValue,
  ignoresItemRules,
  isRequired,
  itemKeywords,
  itemsOfRules,
  listOfRules,
  ruleKeywords,
} from './rules.js';
import { orNull, type Schema } from './schema.js';

/** Requests and answers differ in what they must have and may have. */
export type Direction = 'input' | 'output';

/** The schema of a message or an enum: a reference, or the schema itself. */
export type SchemaOf = (desc: DescMessage | DescEnum) => Schema;

/** The schema of a member of an object. */
export function memberSchema({ field, rule }: Member, direction: Direction, schemaOf: SchemaOf): Schema {
  const schema = fieldSchema(field, schemaOf);
  const nullable = direction === 'input' ? takesNull(field) : showsNull(field);
  return {
    ...described(memberComment(field)),
    ...(nullable && !spellsNull(field) ? orNull(schema) : schema),
    ...(rule.readOnly && { readOnly: true }),
    ...(rule.inputOnly && { writeOnly: true }),
  };
}

/** The schema of a field's value, be it a member, a query parameter, a form of a union or a whole bare list. */
export function fieldSchema(field: DescField, schemaOf: SchemaOf): Schema {
  switch (field.fieldKind) {
    case 'scalar':
      return { ...scalarSchema(field, field.scalar), ...ruleKeywords(field) };
    case 'enum':
      return enumSchema(field, field.enum, schemaOf);
    case 'message':
      return withListRules(schemaOf(field.message), fieldRule(field).list);
    case 'list':
      return { type: 'array', items: itemSchema(field, schemaOf), ...ruleKeywords(field) };
    case 'map':
      throw wrongAnnotation(field, 'a map has no spelling in REST JSON');
  }
}

/**
 * Whether an answer may show null for the field: it can be unset, and is then not left out. That holds for wrapped
 * lists, unions and Structs, which are made for that, and for objects that are marked `optional`.
 */
export function showsNull(field: DescField): boolean {
  const rule = fieldRule(field);
  if (rule.presence === Presence.OMITTED || field.fieldKind === 'list') return false;
  if (field.fieldKind !== 'message') return onNull(field, rule) !== 'refused';
  return shapeOf(field.message).kind !== 'object' || field.proto.proto3Optional;
}

function memberComment(field: DescField): string {
  const decimals = fieldRule(field).usd ? ' At most 9 decimals.' : '';
  return `${commentOf(field)}${decimals}`;
}

/** Whether a request may send null for the field. */
function takesNull(field: DescField): boolean {
  return onNull(field, fieldRule(field)) !== 'refused' && !isRequired(field);
}

function spellsNull(field: DescField): boolean {
  return field.fieldKind === 'enum' && enumSpellings(field.enum).includes(null);
}

function itemSchema(field: ListField, schemaOf: SchemaOf): Schema {
  switch (field.listKind) {
    case 'scalar':
      return { ...scalarSchema(field, field.scalar), ...itemKeywords(field) };
    case 'enum':
      return enumSchema(field, field.enum, schemaOf);
    case 'message':
      return ignoresItemRules(field) ? { type: 'object' } : schemaOf(field.message);
  }
}

/** Wrapped in a message, a list has its rules at the field that holds it. */
function withListRules(schema: Schema, rules: RepeatedRules | undefined): Schema {
  if (rules === undefined) return schema;
  const items = { ...(schema.items as Schema), ...itemsOfRules(rules) };
  return { ...schema, items, ...listOfRules(rules) };
}

/** The enum's own schema, unless the field's rules leave only some of its values. */
function enumSchema(field: DescField, desc: DescEnum, schemaOf: SchemaOf): Schema {
  const admitted = desc.values.filter(({ number }) => number !== 0 && allowsValue(field, number));
  if (admitted.length === desc.values.length - 1) return schemaOf(desc);
  return { type: 'string', enum: admitted.map(({ number }) => enumSpelling(desc, number)) };
}

function scalarSchema(field: DescField, scalar: ScalarType): Schema {
  if (fieldRule(field).jsonText) return { type: ['string', 'object', 'array'], minLength: 1 };
  if (scalar === ScalarType.STRING) return { type: 'string', ...textFormat(field) };
  if (scalar === ScalarType.BOOL) return { type: 'boolean' };
  const range = integerRange(scalar);
  if (range === undefined) return { type: 'number', format: 'double', ...minimumOf(field) };
  if (range.min < 0 && !range.long) return { type: 'integer', format: 'int32' };
  return { type: 'integer', format: 'int64', minimum: range.min, maximum: range.max };
}

function minimumOf(field: DescField): Schema {
  return fieldRule(field).format === TextFormat.DECIMAL ? { minimum: 0 } : {};
}

const FORMATS: Readonly<Record<Exclude<TextFormat, TextFormat.UNSPECIFIED | TextFormat.WORDS>, Schema>> = {
  [TextFormat.DATE]: { format: 'date' },
  [TextFormat.DATE_TIME]: { format: 'date-time' },
  [TextFormat.DECIMAL]: { pattern: '^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,2})?$', maxLength: 64 },
};

function wordsSchema(words: readonly string[]): Schema {
  const word = words.length === 0 ? '[^,\\s]+' : `(${words.join('|')})`;
  return { pattern: `^(${word}(,${word})*)?$` };
}

/** The format that the field's option names, else the one that the suffix of its name implies. */
function textFormat(field: DescField): Schema {
  const { name } = field;
  const { format, words } = fieldRule(field);
  if (format === TextFormat.WORDS) return wordsSchema(words);
  if (format !== TextFormat.UNSPECIFIED) return FORMATS[format];
  if (name.endsWith('_at')) return { format: 'date-time' };
  if (name.endsWith('_date')) return { format: 'date' };
  return name.endsWith('_url') ? { format: 'uri' } : {};
}
