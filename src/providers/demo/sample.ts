/** Plausible values for JSON schemas, the same ones every time. */
import { isObject, members } from '../http/json.js';

/** How deep a sample goes; what lies deeper is null. */
const MAX_DEPTH = 8;

/** A value that fits the schema as far as types, enums, defaults and properties go. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const { type, enum: values, const: constant, default: preset, properties, items, minimum } = schema;
  if (constant !== undefined) return constant;
  if (preset !== undefined) return preset;
  if (Array.isArray(values) && values.length > 0) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'example';
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    case 'array':
      return items === undefined ? [] : [sampleOf(items, depth + 1)];
    case 'null':
      return null;
    default:
      return Object.fromEntries(
        Object.entries(members(properties)).map(([name, member]) => [name, sampleOf(member, depth + 1)]),
      );
  }
}
