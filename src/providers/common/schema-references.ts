/** References within a schema, and the schemas in which they stand. */
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, members, textOf } from '../../formats/json.js';

/** What a local `$ref` points to. */
export function referred({ $ref }: JsonObject, root: JsonObject): JsonObject | undefined {
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOf($ref) ?? '') ?? [];
  const found = members(root[place])[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  return isObject(found) ? found : undefined;
}

/** Members that hold schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  ...['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'],
]);

/** Members that hold a schema or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems'],
  ...['unevaluatedProperties', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
]);

/** Schemas nest no deeper. */
const MAX_SCHEMA_DEPTH = 64;

type Change = (schema: JsonObject) => JsonObject;

/** The schema with every schema in it changed, itself too; the very schema where none is. */
export function changedBelow(schema: JsonObject, change: Change, depth = 0): JsonObject {
  if (depth > MAX_SCHEMA_DEPTH) return schema;
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return sameWhereEqual(value, value.map(within));
    return isObject(value) ? changedBelow(value, change, depth + 1) : value;
  };
  const changed = change(schema);
  const entries = Object.entries(changed).map(([word, value]): [string, unknown] => {
    if (SCHEMAS.has(word)) return [word, within(value)];
    if (!MAPS.has(word) || !isObject(value)) return [word, value];
    const named = Object.entries(value).map(([name, one]): [string, unknown] => [name, within(one)]);
    const isSame = named.every(([name, one]) => value[name] === one);
    return [word, isSame ? value : Object.fromEntries(named)];
  });
  return entries.every(([word, value]) => changed[word] === value) ? changed : Object.fromEntries(entries);
}

function sameWhereEqual(before: unknown[], after: unknown[]): unknown[] {
  return after.every((one, at) => one === before[at]) ? before : after;
}

/** Schemas that are looked at where definitions are put in place, so that what refers to itself in many places ends. */
const MAX_PLACING = 2_000;

/** Definitions within definitions that are put in place. */
const MAX_PLACED_DEPTH = 8;

/**
 * The schema with what references point to in their place. Those beyond the bounds, as of what refers to itself, admit
 * anything: then it is not complete.
 */
export function withDefinitions(
  schema: JsonObject,
  root: JsonObject,
): { readonly placed: JsonObject; readonly isComplete: boolean } {
  let left = MAX_PLACING;
  let isComplete = true;
  const placed = (one: JsonObject, depth: number): JsonObject =>
    changedBelow(one, (inner) => {
      left -= 1;
      if (inner.$ref === undefined) return inner;
      const { $ref, ...beside } = inner;
      const target = left >= 0 && depth < MAX_PLACED_DEPTH ? referred(inner, root) : undefined;
      if (target === undefined) isComplete = false;
      return { ...(target && placed(target, depth + 1)), ...beside };
    });
  return { placed: placed(schema, 0), isComplete };
}
