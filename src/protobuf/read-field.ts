import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { field as rulesOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { type FieldRule, Presence } from '../../gen/byway/options/v1/options_pb.js';
import { isLazyList, mapLazily } from '../base/json/lazy-list.js';
import { runToEnd } from '../base/time-slices.js';
import { checkDepth } from './depth.js';
import { type ReadValue, scalarReader } from './scalar.js';
import { fieldRule, type ListField, wrongAnnotation } from './shape.js';
import { enumNumber, enumSpellings, enumWanted } from './spelling.js';
import { ViolationList } from './violations.js';

/** How a member takes null: as no value, as a violation, or as a value for its reader. */
export type OnNull = 'unset' | 'refused' | 'value';

/** Finds the reader of a message, by its descriptor. */
export type MessageReaders = (desc: DescMessage) => ReadValue;

/**
 * How the field takes null: booleans refuse it where they are always shown, unless marked; other optional members take it
 * (docs/compatibility.md#three-states-of-a-member).
 */
export function onNull(field: DescField, rule: FieldRule): OnNull {
  if (field.fieldKind === 'enum' && hasNull(field.enum)) return 'value';
  if (rule.presence === Presence.NOT_NULL) return 'refused';
  if (field.fieldKind === 'list') return 'unset';
  if (field.presence === FeatureSet_FieldPresence.IMPLICIT) return 'refused';
  const isBoolean = field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL;
  return isBoolean && rule.presence === Presence.UNSPECIFIED ? 'refused' : 'unset';
}

/** The reader of a field's value. Throws an Error for a kind of field that REST JSON has no spelling for. */
export function fieldReader(field: DescField, messages: MessageReaders): ReadValue {
  switch (field.fieldKind) {
    case 'scalar':
      return fieldRule(field).jsonText ? jsonTextReader(field) : knownScalarReader(field, field.scalar);
    case 'enum':
      return enumReader(field.enum);
    case 'message':
      return messages(field.message);
    case 'list':
      return arrayReader(itemReader(field, messages), maxItemsOf(field));
    case 'map':
      throw wrongAnnotation(field, 'a map has no spelling in REST JSON');
  }
}

function knownScalarReader(field: DescField, scalar: ScalarType): ReadValue {
  const read = scalarReader(scalar);
  if (read === undefined) throw wrongAnnotation(field, 'bytes have no spelling in REST JSON');
  return read;
}

function itemReader(field: ListField, messages: MessageReaders): ReadValue {
  if (field.listKind === 'scalar') return knownScalarReader(field, field.scalar);
  return field.listKind === 'enum' ? enumReader(field.enum) : messages(field.message);
}

/**
 * Reads at most one item more than the rule allows: the rule then refuses the list, and a million items cost no more
 * than that. The items of a long list are postponed to `finish`.
 */
function arrayReader(read: ReadValue, maxItems: number): ReadValue {
  return (json, path, violations) => {
    if (!Array.isArray(json)) return violations.add(path, 'type', 'must be an array');
    if (isLazyList(json)) return readLazily(read, json, path, violations);
    const items = json.length > maxItems ? json.slice(0, maxItems + 1) : json;
    if (items.length <= LONG_LIST)
      return items.map((item, index) => read(item, `${path}[${index}]`, violations));
    const values: unknown[] = [];
    violations.postpone(readItems(read, items, path, violations, values));
    return values;
  };
}

/** Longer lists yield to other work while they are read. */
const LONG_LIST = 100;

function* readItems(
  read: ReadValue,
  items: readonly JsonValue[],
  path: string,
  violations: ViolationList,
  values: unknown[],
): Generator<void, void> {
  for (const [index, item] of items.entries()) {
    if (violations.full) return;
    values.push(read(item, `${path}[${index}]`, violations));
    yield;
  }
}

/** Reads every item once for its violations, and again on each access. */
function readLazily(
  read: ReadValue,
  items: readonly JsonValue[],
  path: string,
  violations: ViolationList,
): unknown[] {
  violations.postpone(
    (function* () {
      for (const [index, item] of items.entries()) {
        if (violations.full) return;
        read(item, `${path}[${index}]`, violations);
        yield* violations.finish();
        yield;
      }
    })(),
  );
  return mapLazily(items, (item, index) => {
    const none = new ViolationList();
    const value = read(item, `${path}[${index}]`, none);
    runToEnd(none.finish());
    return value;
  });
}

function maxItemsOf(field: DescField): number {
  const { type } = getOption(field, rulesOption);
  const maxItems = type.case === 'repeated' ? Number(type.value.maxItems) : 0;
  return maxItems === 0 ? Number.POSITIVE_INFINITY : maxItems;
}

function enumReader(desc: DescEnum): ReadValue {
  const wanted = enumWanted(desc);
  return (json, path, violations) => {
    if (typeof json !== 'string' && !(json === null && hasNull(desc))) {
      return violations.add(path, 'type', 'must be a string');
    }
    return enumNumber(desc, json) ?? violations.add(path, 'enum', wanted);
  };
}

function hasNull(desc: DescEnum): boolean {
  return enumSpellings(desc).includes(null);
}

/** A text, or an object or array in place of its JSON text, as the `key` of a BYOK key may be. */
function jsonTextReader(field: DescField): ReadValue {
  const readText = knownScalarReader(field, ScalarType.STRING);
  if (field.scalar !== ScalarType.STRING) throw wrongAnnotation(field, 'json_text needs a string');
  return (json, path, violations) => {
    if (typeof json === 'string') return readText(json, path, violations);
    return isContainer(json)
      ? readJsonText(json, path, violations)
      : violations.add(path, 'type', WANTED_JSON_TEXT);
  };
}

const WANTED_JSON_TEXT = 'must be a string, an object or an array';

function isContainer(json: JsonValue): boolean {
  return typeof json === 'object' && json !== null;
}

function readJsonText(json: JsonValue, path: string, violations: ViolationList): unknown {
  return checkDepth(json, path, violations) ? JSON.stringify(json) : undefined;
}
