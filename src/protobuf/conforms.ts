/** Whether JSON is what a message says, found out without making the message. */

import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  isFieldSet,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import {
  type FieldRules,
  FieldRulesSchema,
  Ignore,
  message as messageRules,
  field as rulesOption,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { Presence } from '../../gen/byway/options/v1/options_pb.js';
import { exceedsDepth, MAX_DEPTH } from '../base/json/bounded/depth.js';
import { isLazyList } from '../base/json/lazy-list.js';
import { isWellFormed } from '../base/text.js';
import { isJsonObject } from './members.js';
import { onNull } from './read-field.js';
import { integerRange } from './scalar.js';
import { fieldRule, type Member, type Shape, shapeOf } from './shape.js';
import { enumSpellings } from './spelling.js';

/** True is certain, false is not: then `readMessage` and the contract's rules tell what is wrong, if anything is. */
type Conforms = (json: JsonValue) => boolean;

const predicates = new WeakMap<DescMessage, Conforms>();

/**
 * Recognises most JSON that conforms to the message: `readMessage` would find no violation in it, no rule of the
 * contract is broken, and `writeMessage` would give it back as it is, except that a member may be null instead of left
 * out. Such JSON can be worked with as it came.
 */
export function conforms(desc: DescMessage, json: JsonValue): boolean {
  return predicateOf(desc)(json);
}

function predicateOf(desc: DescMessage): Conforms {
  const known = predicates.get(desc);
  if (known !== undefined) return known;
  // Stands in while a message that holds itself is compiled.
  predicates.set(desc, (json) => compiled(json));
  const { cel, celExpression, oneof } = getOption(desc, messageRules);
  const hasRules = cel.length + celExpression.length + oneof.length > 0;
  const compiled = hasRules ? never : ofShape(shapeOf(desc));
  predicates.set(desc, compiled);
  return compiled;
}

const never: Conforms = () => false;

function ofShape(shape: Shape): Conforms {
  switch (shape.kind) {
    case 'struct':
      return (json) => isJsonObject(json) && !exceedsDepth(json, MAX_DEPTH);
    case 'list':
      return ofField(shape.items);
    case 'union': {
      // Their JSON types differ, so that at most one of them can hold.
      const forms = shape.oneof.fields.map((field) => ofField(field));
      return (json) => forms.some((form) => form(json));
    }
    case 'object':
      return ofObject(shape.members, shape.open !== undefined);
  }
}

interface KnownMember {
  readonly conforms: Conforms;
  readonly isNullKept: boolean;
}

function ofObject(members: readonly Member[], isOpen: boolean): Conforms {
  const known = new Map<string, KnownMember>();
  for (const { name, field, rule } of members) {
    // Null in place of what is not set is what an answer says too, unless it leaves the member out.
    const isNullKept = onNull(field, rule) === 'unset' && rule.presence !== Presence.OMITTED;
    known.set(name, { conforms: rule.readOnly ? never : ofField(field), isNullKept });
  }
  const required = members.filter(needsPresence);
  return (json) => {
    if (!isJsonObject(json)) return false;
    for (const { name } of required) if (!Object.hasOwn(json, name)) return false;
    for (const name of Object.keys(json)) {
      const value = json[name] ?? null;
      const member = known.get(name);
      if (member === undefined) {
        if (!isOpen || exceedsDepth(value, MAX_DEPTH)) return false;
      } else if (value === null ? !member.isNullKept : !member.conforms(value)) return false;
    }
    return true;
  };
}

/** Whether what is left out is not nothing: the contract demands it, or the message has a value in its place. */
function needsPresence({ field, rule }: Member): boolean {
  const { required, type } = getOption(field, rulesOption);
  if (required) return true;
  if (field.fieldKind !== 'list') return field.presence === FeatureSet_FieldPresence.IMPLICIT;
  return rule.presence !== Presence.OMITTED || (type.case === 'repeated' && type.value.minItems > 0n);
}

function ofField(field: DescField): Conforms {
  const rules = getOption(field, rulesOption);
  if (!isUnderstood(rules)) return never;
  switch (field.fieldKind) {
    case 'scalar':
      return fieldRule(field).jsonText ? never : ofScalar(field.scalar, rules);
    case 'enum':
      return ofEnum(field.enum);
    case 'message':
      return rules.type.case === undefined ? predicateOf(field.message) : never;
    case 'list':
      return ofList(field, rules);
    case 'map':
      return never;
  }
}

function ofScalar(scalar: ScalarType, { type, required }: FieldRules): Conforms {
  if (scalar === ScalarType.BOOL && type.case === undefined) return (json) => typeof json === 'boolean';
  if (scalar === ScalarType.STRING) return ofText(type.case === 'string' ? type.value : {}, required);
  if (scalar !== ScalarType.DOUBLE && scalar !== ScalarType.INT32 && scalar !== ScalarType.UINT32)
    return never;
  const range = integerRange(scalar) ?? { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  const isWhole = scalar !== ScalarType.DOUBLE;
  const bounds =
    type.case === 'int32' || type.case === 'uint32' || type.case === 'double' ? type.value : undefined;
  const min = bounds?.greaterThan.case === 'gte' ? Math.max(range.min, bounds.greaterThan.value) : range.min;
  const max = bounds?.lessThan.case === 'lte' ? Math.min(range.max, bounds.lessThan.value) : range.max;
  return (json) =>
    typeof json === 'number' &&
    (isWhole ? Number.isInteger(json) : Number.isFinite(json)) &&
    json >= min &&
    json <= max &&
    !(required && json === 0);
}

/** Lengths are counted in characters, some of which are two of JavaScript's units: near a bound nothing is certain. */
function ofText(
  { minLen = 0n, maxLen = 0n, in: words = [] }: { minLen?: bigint; maxLen?: bigint; in?: readonly string[] },
  required: boolean,
): Conforms {
  const min = minLen === 1n || (minLen === 0n && required) ? 1 : 2 * Number(minLen);
  const max = maxLen === 0n ? Number.POSITIVE_INFINITY : Number(maxLen);
  return (json) =>
    typeof json === 'string' &&
    json.length >= min &&
    json.length <= max &&
    (words.length === 0 || words.includes(json)) &&
    isWellFormed(json);
}

function ofEnum(desc: DescEnum): Conforms {
  const words = new Set(enumSpellings(desc));
  return (json) => typeof json === 'string' && words.has(json);
}

/** An empty list is left out of some answers; a long one that is read bit by bit is better read by whoever can wait. */
function ofList(field: DescField & { readonly fieldKind: 'list' }, { type }: FieldRules): Conforms {
  const { minItems = 0n, maxItems = 0n } = type.case === 'repeated' ? type.value : {};
  const max = maxItems === 0n ? Number.POSITIVE_INFINITY : Number(maxItems);
  const isLeftOut = fieldRule(field).presence === Presence.OMITTED;
  const min = Math.max(Number(minItems), isLeftOut ? 1 : 0);
  const item = ofItem(field);
  return (json) =>
    Array.isArray(json) && !isLazyList(json) && json.length >= min && json.length <= max && json.every(item);
}

function ofItem(field: DescField & { readonly fieldKind: 'list' }): Conforms {
  switch (field.listKind) {
    case 'message':
      return predicateOf(field.message);
    case 'enum':
      return ofEnum(field.enum);
    case 'scalar':
      return field.scalar === ScalarType.STRING ? ofText({}, false) : never;
  }
}

/** The rules that are looked at here; with any other nothing is certain. */
const UNDERSTOOD: Readonly<Record<string, readonly string[]>> = {
  string: ['min_len', 'max_len', 'in'],
  int32: ['gte', 'lte'],
  uint32: ['gte', 'lte'],
  double: ['gte', 'lte'],
  repeated: ['min_items', 'max_items'],
  // A word that the enum has is neither undefined nor the zero value, which has no word.
  enum: ['defined_only', 'not_in'],
};

function isUnderstood({ type, cel, celExpression, ignore }: FieldRules): boolean {
  if (cel.length > 0 || celExpression.length > 0 || ignore !== Ignore.UNSPECIFIED) return false;
  const { case: name, value } = type;
  if (name === undefined) return true;
  if (name === 'enum' && value.notIn.some((number) => number !== 0)) return false;
  const understood = UNDERSTOOD[name] ?? [];
  const fields = FieldRulesSchema.field[name].message?.fields ?? [];
  const given = fields.filter((field) => isFieldSet(value, field));
  return value.$unknown === undefined && given.every((field) => understood.includes(field.name));
}
