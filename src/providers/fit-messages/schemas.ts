/** Schemas of arguments as Claude's hosts take them: an object of JSON Schema draft 2020-12 without a union at its root. */
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members } from '../../formats/json.js';
import { MAX_SCHEMA_DEPTH, SCHEMA_WORDS } from '../fit/schema/json-schema.js';
import { type FittedSchema, fittedSchema } from '../fit/schema/schemas.js';

/** The very schema where the API takes it. */
export function fittedInputSchema(given: unknown): FittedSchema {
  if (isObject(given) && isTaken(given)) return { schema: given, isWider: false };
  const isNoObject = isObject(given) && given.type !== undefined && given.type !== 'object';
  const { schema, isWider } = fittedSchema(given, {
    rootUnions: !isObject(given) || !hasUnion(given),
    booleanSchemas: true,
    schemaSiblings: true,
    typedSchemas: false,
    referencesToDefs: false,
    arraysOfItems: false,
  });
  const known = withNamesTaken(isNoObject ? { type: 'object', properties: {} } : schema);
  const draft = isOfDraft(known, 0) ? known : (ofDraft(known, 0) as JsonObject);
  const isCut = known !== schema || !isOfDraft(draft, 0);
  return { schema: isOfDraft(draft, 0) ? draft : OPEN, isWider: isWider || isNoObject || isCut };
}

/** Admits every object. */
const OPEN: JsonObject = { type: 'object', properties: {} };

function isTaken(schema: JsonObject): boolean {
  return schema.type === 'object' && !hasUnion(schema) && areNamesTaken(schema) && isOfDraft(schema, 0);
}

function hasUnion({ oneOf, allOf, anyOf }: JsonObject): boolean {
  return oneOf !== undefined || allOf !== undefined || anyOf !== undefined;
}

/** Names of properties at the root; below it others are taken. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

function areNamesTaken({ properties }: JsonObject): boolean {
  for (const name in members(properties)) if (!PROPERTY_NAME.test(name)) return false;
  return true;
}

/** Properties whose names are not taken are admitted without being named. */
function withNamesTaken(schema: JsonObject): JsonObject {
  if (areNamesTaken(schema)) return schema;
  const { additionalProperties, properties, required, ...rest } = schema;
  const taken = Object.entries(members(properties)).filter(([name]) => PROPERTY_NAME.test(name));
  const wanted = elements(required).filter((name) => PROPERTY_NAME.test(String(name)));
  return {
    ...rest,
    properties: Object.fromEntries(taken),
    ...(wanted.length > 0 && { required: wanted }),
  };
}

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

function isOfDraft(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return false;
  for (const word in schema) {
    const value = schema[word];
    switch (SCHEMA_WORDS.get(word)) {
      case 'one':
        if (!isOfDraft(value, depth + 1)) return false;
        break;
      case 'list':
        if (!Array.isArray(value) || value.length === 0) return false;
        for (const one of value) if (!isOfDraft(one, depth + 1)) return false;
        break;
      case 'named':
        if (!isObject(value)) return false;
        for (const name in value) if (!isOfDraft(value[name], depth + 1)) return false;
        break;
      default:
        if (!isValueTaken(word, value)) return false;
    }
  }
  return true;
}

function isValueTaken(word: string, value: unknown): boolean {
  switch (word) {
    case 'type':
      return Array.isArray(value)
        ? value.length > 0 && value.every((one) => TYPES.has(one))
        : TYPES.has(value);
    case 'enum':
      return Array.isArray(value);
    case 'required':
      return Array.isArray(value) && value.every((name) => typeof name === 'string');
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'minimum':
    case 'maximum':
      // An integer beyond 2^53 is an object of its own.
      return typeof value === 'number' || (typeof value === 'object' && value !== null);
    case '$ref':
    case 'pattern':
      return typeof value === 'string';
    default:
      return true;
  }
}

/** What earlier drafts wrote otherwise, in the words of this one; what no draft knows is left out. */
function ofDraft(schema: unknown, depth: number): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return {};
  const entries = Object.entries(withTuple(withBounds(schema))).flatMap(
    ([word, value]): [string, unknown][] => {
      switch (SCHEMA_WORDS.get(word)) {
        case 'one':
          return [[word, ofDraft(value, depth + 1)]];
        case 'list': {
          const list = elements(value).map((one) => ofDraft(one, depth + 1));
          return list.length > 0 ? [[word, list]] : [];
        }
        case 'named':
          return isObject(value) ? [[word, eachOfDraft(value, depth)]] : [];
        default:
          return isValueTaken(word, value) ? [[word, value]] : [];
      }
    },
  );
  return Object.fromEntries(entries);
}

function eachOfDraft(schemas: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, ofDraft(one, depth + 1)]));
}

/** Draft 4: the bound is in `minimum`, and whether it counts beside it. */
function withBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  return {
    ...rest,
    ...bound('inimum', minimum, exclusiveMinimum),
    ...bound('aximum', maximum, exclusiveMaximum),
  };
}

function bound(word: 'inimum' | 'aximum', limit: unknown, exclusive: unknown): JsonObject {
  const isExclusive = exclusive === true && limit !== undefined;
  const exclusiveWord = `exclusiveM${word}`;
  return {
    ...(isExclusive && { [exclusiveWord]: limit }),
    ...(!isExclusive && limit !== undefined && { [`m${word}`]: limit }),
    ...(typeof exclusive === 'number' && { [exclusiveWord]: exclusive }),
  };
}

/** Draft 7: a list in `items`, and what comes after it in `additionalItems`. */
function withTuple(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema;
  return {
    ...rest,
    ...(items.length > 0 && { prefixItems: items }),
    ...(additionalItems !== undefined && { items: additionalItems }),
  };
}
