/** Deterministic sample values for JSON schemas. */
import { isObject, members } from '../../formats/json.js';

/** Deeper values are null. */
const MAX_DEPTH = 8;

/** A value that conforms to the schema's types, enums, defaults and properties. */
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
