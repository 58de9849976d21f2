/** Removes keywords from JSON schemas that a host refuses. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';

/** The response format, with a schema that the host accepts. */
export function responseFormatFor(format: unknown, refused: readonly string[]): unknown {
  if (refused.length === 0 || !isObject(format)) return format;
  const { schema, ...described } = members(members(format).json_schema);
  if (!isObject(schema)) return format;
  return { ...format, json_schema: { ...described, schema: schemaWithout(schema, new Set(refused)) } };
}

/** The tool. Only strict tools have schemas that the host compiles. */
export function toolSchemaFor(tool: JsonObject, refused: readonly string[]): JsonObject {
  const { parameters, ...described } = members(tool.function);
  if (refused.length === 0 || described.strict !== true || !isObject(parameters)) return tool;
  return {
    ...tool,
    function: { ...described, parameters: schemaWithout(parameters, new Set(refused)) },
  };
}

/** Members that contain schemas by name. The names are not keywords of JSON Schema. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/** Members that contain values that are not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

function schemaWithout(schema: object, refused: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(schema).filter(([word]) => !refused.has(word));
  return Object.fromEntries(
    kept.map(([word, value]) => {
      if (VALUES.has(word)) return [word, value];
      if (!MAPS.has(word)) return [word, valueWithout(value, refused)];
      const schemas = Object.entries(members(value));
      return [word, Object.fromEntries(schemas.map(([name, one]) => [name, valueWithout(one, refused)]))];
    }),
  );
}

function valueWithout(value: unknown, refused: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return elements(value).map((one) => valueWithout(one, refused));
  return isObject(value) ? schemaWithout(value, refused) : value;
}
