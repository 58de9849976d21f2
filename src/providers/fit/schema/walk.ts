/** Where schemas stand within schemas. */
import { isObject } from '../../../formats/json.js';

/** Members that hold schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Members that hold a schema or a list of them; of these `true` and `false` are often said, and understood by all hosts. */
const CLOSERS: ReadonlySet<string> = new Set(['additionalProperties', 'additionalItems']);

/** Members that hold a schema or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...[
    'items',
    'prefixItems',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
  ],
]);

/** Schemas nest no deeper. */
export const MAX_SCHEMA_DEPTH = 64;

/** A schema and all within it, but for booleans that open or close it. */
export function* schemasIn(schema: unknown, depth = 0): Generator<unknown> {
  yield schema;
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return;
  for (const [word, value] of Object.entries(schema)) {
    const within = MAPS.has(word) && isObject(value) ? Object.values(value) : [];
    const listed = SCHEMAS.has(word) ? (Array.isArray(value) ? value : [value]) : [];
    const closing = CLOSERS.has(word) && isObject(value) ? [value] : [];
    for (const one of [...within, ...listed, ...closing]) yield* schemasIn(one, depth + 1);
  }
}

/** The schema with each schema right within it changed. */
export function mapSchemas(schema: object, change: (schema: unknown) => unknown): Record<string, unknown> {
  const entries = Object.entries(schema).map(([word, value]): [string, unknown] => {
    if (MAPS.has(word) && isObject(value)) {
      return [word, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]))];
    }
    if (CLOSERS.has(word)) return [word, isObject(value) ? change(value) : value];
    if (!SCHEMAS.has(word)) return [word, value];
    return [word, Array.isArray(value) ? value.map(change) : change(value)];
  });
  return Object.fromEntries(entries);
}
