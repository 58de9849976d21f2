/** JSON schemas in the subset that Anthropic's API takes. */
import { exactJson } from '../../../base/json/json-body.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject } from '../../../formats/json.js';

/**
 * The schema with only the keywords that the API takes; it refuses others. The model still reads what was removed, in
 * the description. Objects are closed.
 */
export function supportedSchema(schema: JsonObject): JsonObject {
  const { $defs, definitions, ...rest } = schema;
  const defs = {
    ...(isObject($defs) && { $defs: each($defs) }),
    ...(isObject(definitions) && { definitions: each(definitions) }),
  };
  if (rest.$ref !== undefined) return { ...defs, $ref: rest.$ref };
  const supportedKeywords: Record<string, unknown> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(rest)) {
    const supported = supportedValue(name, value);
    if (supported !== undefined) supportedKeywords[supported.name ?? name] = supported.value;
    else if (!DROPPED.has(name)) removed.push(`${name}: ${exactJson(value)}`);
  }
  return { ...defs, ...supportedKeywords, ...closed(rest), ...described(rest, removed) };
}

/**
 * Where the schema has a map: an object whose names are not given. The API's objects are closed, so that only an empty
 * one would fit. undefined without any.
 */
export function mapIn(schema: unknown, path = ''): string | undefined {
  if (!isObject(schema)) return undefined;
  const { additionalProperties, patternProperties, properties } = schema;
  const isOpen = isObject(additionalProperties) || (additionalProperties === true && !isObject(properties));
  if (isOpen) return `${path}.additionalProperties`;
  if (isObject(patternProperties)) return `${path}.patternProperties`;
  return subschemas(schema)
    .map(([below, element]) => mapIn(element, `${path}.${below}`))
    .find((found) => found !== undefined);
}

function subschemas({ properties, items, $defs, definitions, ...rest }: JsonObject): [string, unknown][] {
  const named = Object.entries({ properties, $defs, definitions }).flatMap(([name, schemas]) =>
    isObject(schemas)
      ? Object.entries(schemas).map(([key, value]) => [`${name}.${key}`, value] as const)
      : [],
  );
  const listed = ['anyOf', 'allOf', 'oneOf'].flatMap((name) =>
    elements(rest[name]).map((value, index) => [`${name}[${index}]`, value] as const),
  );
  return [...named, ['items', items] as const, ...listed].map(([name, value]) => [name, value]);
}

/** A keyword that the API takes, perhaps under another name. */
interface Supported {
  readonly name?: string;
  readonly value: unknown;
}

/** Keywords passed on as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'title',
  'description',
  'required',
  'default',
]);

/** Keywords that constrain nothing, or are set anew. */
const DROPPED: ReadonlySet<string> = new Set(['$schema', '$id', 'additionalProperties']);

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

function supportedValue(name: string, value: unknown): Supported | undefined {
  if (PLAIN.has(name)) return { value };
  if (name === 'properties' && isObject(value)) return { value: each(value) };
  if (name === 'items' && isObject(value)) return { value: supportedSchema(value) };
  if ((name === 'anyOf' || name === 'allOf') && Array.isArray(value)) return { value: value.map(element) };
  if (name === 'oneOf' && Array.isArray(value)) return { name: 'anyOf', value: value.map(element) };
  if (name === 'format' && FORMATS.has(value)) return { value };
  if (name === 'minItems' && (value === 0 || value === 1)) return { value };
  return undefined;
}

function each(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, element(schema)]));
}

function element(schema: unknown): unknown {
  return isObject(schema) ? supportedSchema(schema) : schema;
}

function closed({ type, properties }: JsonObject): JsonObject {
  const isObjectSchema =
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties);
  return isObjectSchema ? { additionalProperties: false } : {};
}

function described({ description }: JsonObject, removed: readonly string[]): JsonObject {
  if (removed.length === 0) return {};
  const descriptionText = typeof description === 'string' ? `${description}\n\n` : '';
  return { description: `${descriptionText}{${removed.join(', ')}}` };
}
