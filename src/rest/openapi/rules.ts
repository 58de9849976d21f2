/** Rules of protovalidate as JSON Schema. Rules that it can't express are left to the comments. */
import { type DescField, getOption, isFieldSet, type Message } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import {
  type FieldRules,
  Ignore,
  type RepeatedRules,
  field as rulesOption,
  type StringRules,
  StringRulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { Schema } from './schema.js';

/** Whether a request without the field breaks a rule. */
export function isRequired(field: DescField): boolean {
  const { required, type } = rulesOf(field);
  return required || (type.case === 'repeated' && type.value.minItems > 0n);
}

/** Whether the rules of the list's messages do not hold for its items. */
export function ignoresItemRules(field: DescField): boolean {
  const { type } = rulesOf(field);
  return type.case === 'repeated' && type.value.items?.ignore === Ignore.ALWAYS;
}

/** The keywords for a field's value. */
export function ruleKeywords(field: DescField): Schema {
  const { type } = rulesOf(field);
  return { ...keywords(type), ...(isRequired(field) ? notEmpty(field, type) : {}) };
}

/** The keywords for each item of a repeated field. */
export function itemKeywords(field: DescField): Schema {
  const { type } = rulesOf(field);
  return type.case === 'repeated' ? itemsOfRules(type.value) : {};
}

/** The keywords for each item of a list. */
export function itemsOfRules({ items }: RepeatedRules): Schema {
  return items === undefined ? {} : keywords(items.type);
}

/** The keywords for the list itself. */
export function listOfRules({ minItems, maxItems, unique }: RepeatedRules): Schema {
  return {
    ...(minItems > 0n && { minItems: Number(minItems) }),
    ...(maxItems > 0n && { maxItems: Number(maxItems) }),
    ...(unique && { uniqueItems: true }),
  };
}

/** Whether the rules of an enum field, or of the items of a list, admit the value. */
export function allowsValue(field: DescField, number: number): boolean {
  const { type } = rulesOf(field);
  const rules = type.case === 'repeated' ? type.value.items?.type : type;
  if (rules?.case !== 'enum') return true;
  const { in: admitted, notIn } = rules.value;
  return (admitted.length === 0 || admitted.includes(number)) && !notIn.includes(number);
}

const known = new WeakMap<DescField, FieldRules>();

/** Cached, since reading an option decodes it each time. */
function rulesOf(field: DescField): FieldRules {
  const rules = known.get(field) ?? getOption(field, rulesOption);
  known.set(field, rules);
  return rules;
}

function keywords(type: FieldRules['type']): Schema {
  switch (type.case) {
    case 'string':
      return stringKeywords(type.value);
    case 'repeated':
      return listOfRules(type.value);
    case 'double':
    case 'float':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return rangeKeywords(type.value);
    default:
      return {};
  }
}

function stringKeywords(rules: StringRules): Schema {
  const { minLen, maxLen, len, pattern, wellKnown } = rules;
  const has = (name: 'minLen' | 'maxLen' | 'len') => isFieldSet(rules, StringRulesSchema.field[name]);
  return {
    ...(rules.in.length > 0 && { enum: [...rules.in] }),
    ...(has('minLen') && { minLength: Number(minLen) }),
    ...(has('maxLen') && { maxLength: Number(maxLen) }),
    ...(has('len') && { minLength: Number(len), maxLength: Number(len) }),
    ...(pattern !== '' && { pattern }),
    ...(wellKnown.case === 'uuid' && { format: 'uuid' }),
    ...(wellKnown.case === 'uri' && { format: 'uri' }),
  };
}

type Bound<Case extends string> = { case: Case; value: number | bigint } | { case: undefined };

interface RangeRules extends Message {
  readonly greaterThan: Bound<'gt'> | Bound<'gte'>;
  readonly lessThan: Bound<'lt'> | Bound<'lte'>;
}

function rangeKeywords({ greaterThan, lessThan }: RangeRules): Schema {
  return {
    ...(greaterThan.case === 'gt' && { exclusiveMinimum: Number(greaterThan.value) }),
    ...(greaterThan.case === 'gte' && { minimum: Number(greaterThan.value) }),
    ...(lessThan.case === 'lt' && { exclusiveMaximum: Number(lessThan.value) }),
    ...(lessThan.case === 'lte' && { maximum: Number(lessThan.value) }),
  };
}

/** To protovalidate an empty list, and an empty text in a field without presence, are no value at all. */
function notEmpty(field: DescField, type: FieldRules['type']): Schema {
  if (field.fieldKind === 'list') {
    return { minItems: type.case === 'repeated' ? Math.max(1, Number(type.value.minItems)) : 1 };
  }
  if (field.fieldKind !== 'scalar' || field.presence !== FeatureSet_FieldPresence.IMPLICIT) return {};
  if (type.case !== 'string') return { minLength: 1 };
  const { in: admitted, minLen } = type.value;
  return admitted.length > 0 ? {} : { minLength: Math.max(1, Number(minLen)) };
}
