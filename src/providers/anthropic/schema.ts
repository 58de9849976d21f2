/** JSON schemas as far as Anthropic's models can be held to them. */
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../http/json.js';

/**
 * The schema with what the API takes; it refuses a schema that says more. What is left out the model still reads, in
 * the description. Objects are closed.
 */
export function supportedSchema(schema: JsonObject): JsonObject {
  const { $defs, definitions, ...rest } = schema;
  const defs = {
    ...(isObject($defs) && { $defs: each($defs) }),
    ...(isObject(definitions) && { definitions: each(definitions) }),
  };
  if (rest.$ref !== undefined) return { ...defs, $ref: rest.$ref };
  const kept: Record<string, unknown> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(rest)) {
    const supported = supportedValue(name, value);
    if (supported !== undefined) kept[supported.name ?? name] = supported.value;
    else if (!SILENT.has(name)) left.push(`${name}: ${JSON.stringify(value)}`);
  }
  return { ...defs, ...kept, ...closed(rest), ...described(rest, left) };
}

/** A keyword as it may stay, perhaps under another name. */
interface Supported {
  readonly name?: string;
  readonly value: unknown;
}

/** Keywords that stay as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'title',
  'description',
  'required',
  'default',
]);

/** Keywords that constrain nothing, or are said anew. */
const SILENT: ReadonlySet<string> = new Set(['$schema', '$id', 'additionalProperties']);

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
  const isOpen =
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties);
  return isOpen ? { additionalProperties: false } : {};
}

function described({ description }: JsonObject, left: readonly string[]): JsonObject {
  if (left.length === 0) return {};
  const descriptionText = typeof description === 'string' ? `${description}\n\n` : '';
  return { description: `${descriptionText}{${left.join(', ')}}` };
}
