/** Where schemas stand within schemas, in JSON Schema of draft 2020-12 and those before, and what refers to them. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';

/** Words that hold a schema, a list of them, or schemas by name. */
export const SCHEMA_WORDS: ReadonlyMap<string, 'one' | 'list' | 'named'> = new Map([
  ...(
    [
      ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
      ...['unevaluatedItems', 'unevaluatedProperties'],
    ] as const
  ).map((word) => [word, 'one'] as const),
  ...(['allOf', 'oneOf', 'anyOf', 'prefixItems'] as const).map((word) => [word, 'list'] as const),
  ...(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const).map(
    (word) => [word, 'named'] as const,
  ),
]);

/** Of these `true` and `false` are often said, and understood by all hosts. */
const CLOSERS: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'additionalItems', 'unevaluatedItems', 'unevaluatedProperties'],
]);

/** Schemas nest no deeper. */
export const MAX_SCHEMA_DEPTH = 64;

/** What a local `$ref` points to. */
export function referred({ $ref }: JsonObject, root: JsonObject): JsonObject | undefined {
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOf($ref) ?? '') ?? [];
  const found = members(root[place])[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  return isObject(found) ? found : undefined;
}

/** A schema and all within it, but for booleans that open or close it. */
export function* schemasIn(schema: unknown, depth = 0): Generator<unknown> {
  yield schema;
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return;
  for (const [word, value] of Object.entries(schema)) {
    for (const one of heldBy(word, value)) yield* schemasIn(one, depth + 1);
  }
}

function heldBy(word: string, value: unknown): readonly unknown[] {
  if (CLOSERS.has(word)) return isObject(value) ? [value] : [];
  const kind = SCHEMA_WORDS.get(word);
  if (kind === 'named') return isObject(value) ? Object.values(value) : [];
  if (kind === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The schema with each schema right within it changed, but for booleans that open or close it; the very schema where none is. */
export function withSchemas(schema: JsonObject, change: (schema: unknown) => unknown): JsonObject {
  return mappedEntries(schema, (word, value) => {
    if (CLOSERS.has(word)) return isObject(value) ? change(value) : value;
    const kind = SCHEMA_WORDS.get(word);
    if (kind === undefined) return value;
    if (kind === 'named') return isObject(value) ? mappedEntries(value, (_, one) => change(one)) : value;
    if (!Array.isArray(value)) return change(value);
    const changed = value.map(change);
    return changed.every((one, at) => one === value[at]) ? value : changed;
  });
}

/** The schema with every schema in it changed, itself too; the very schema where none is. */
export function changedBelow(
  schema: JsonObject,
  change: (schema: JsonObject) => JsonObject,
  depth = 0,
): JsonObject {
  if (depth > MAX_SCHEMA_DEPTH) return schema;
  return withSchemas(change(schema), (one) => (isObject(one) ? changedBelow(one, change, depth + 1) : one));
}

function mappedEntries(value: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  const entries = Object.entries(value).map(([name, one]): [string, unknown] => [name, change(name, one)]);
  return entries.every(([name, one]) => value[name] === one) ? value : Object.fromEntries(entries);
}
