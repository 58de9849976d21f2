import { isRecord, list, record, words } from './values.js';

const TYPES = words('array boolean integer null number object string');
const WITH_SCHEMA =
  'items contains additionalProperties propertyNames not if then else unevaluatedItems unevaluatedProperties';
const WITH_SCHEMAS = 'allOf anyOf oneOf prefixItems';
const WITH_NAMED = 'properties patternProperties $defs dependentSchemas';

/**
 * The first place where a schema is no JSON Schema of draft 2020-12: what earlier drafts wrote otherwise (a list as `items`,
 * a boolean as `exclusiveMinimum`), and members of the wrong type. Undefined for a schema of that draft.
 */
export function schemaViolation(schema: unknown, at = '#'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return at;
  return ownViolation(schema, at) ?? innerViolation(schema, at);
}

function ownViolation(schema: Readonly<Record<string, unknown>>, at: string): string | undefined {
  const { type, required, exclusiveMinimum, exclusiveMaximum, $ref, pattern } = schema;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (types.some((name) => !TYPES.has(String(name)))) return `${at}/type`;
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) return `${at}/enum`;
  const isNames = Array.isArray(required) && required.every((name) => typeof name === 'string');
  if (required !== undefined && !isNames) return `${at}/required`;
  if ([exclusiveMinimum, exclusiveMaximum].some((bound) => typeof bound === 'boolean'))
    return `${at}/exclusiveMinimum`;
  return [$ref, pattern].some((text) => text !== undefined && typeof text !== 'string')
    ? `${at}/$ref`
    : undefined;
}

function innerViolation(schema: Readonly<Record<string, unknown>>, at: string): string | undefined {
  for (const [name, value] of Object.entries(schema)) {
    const place = `${at}/${name}`;
    const found = WITH_SCHEMA.split(' ').includes(name)
      ? schemaViolation(value, place)
      : WITH_SCHEMAS.split(' ').includes(name)
        ? listViolation(value, place)
        : WITH_NAMED.split(' ').includes(name)
          ? namedViolation(value, place)
          : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function listViolation(value: unknown, at: string): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return at;
  return list(value)
    .map((inner, index) => schemaViolation(inner, `${at}/${index}`))
    .find((found) => found !== undefined);
}

function namedViolation(value: unknown, at: string): string | undefined {
  if (!isRecord(value)) return at;
  return Object.entries(value)
    .map(([name, inner]) => schemaViolation(inner, `${at}/${name}`))
    .find((found) => found !== undefined);
}

/** Every schema within a schema, itself included; what is beside the words of JSON Schema is left out. */
export function* schemasIn(schema: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (!isRecord(schema)) return;
  yield schema;
  for (const [name, value] of Object.entries(schema)) {
    if (WITH_SCHEMA.split(' ').includes(name)) yield* schemasIn(value);
    if (WITH_SCHEMAS.split(' ').includes(name)) for (const inner of list(value)) yield* schemasIn(inner);
    if (WITH_NAMED.split(' ').includes(name)) {
      for (const inner of Object.values(record(value))) yield* schemasIn(inner);
    }
  }
}
