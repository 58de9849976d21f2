import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/**
 * The violations of the JSON Schema, whose references point into the document. Throws for unknown keywords.
 */
export function schemaViolations(
  document: JsonObject,
  schema: JsonValue | undefined,
  value: JsonValue,
  path = '$',
): string[] {
  return Object.entries(asObject(schema)).flatMap(([keyword, rule]) => {
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`${path}: unknown keyword ${keyword}`);
    const within = (inner: JsonValue | undefined, item: JsonValue, at = path) =>
      schemaViolations(document, inner, item, at);
    return check({ document, schema: asObject(schema), rule, value, path, within });
  });
}

/** Resolves a reference; returns other schemas as they are. */
export function resolve(document: JsonObject, schema: JsonValue | undefined): JsonObject {
  const { $ref } = asObject(schema);
  if (typeof $ref !== 'string') return asObject(schema);
  const names = $ref.slice(2).split('/');
  return asObject(names.reduce<JsonValue | undefined>((part, name) => asObject(part)[name], document));
}

/** The value as a JSON object. Throws when it is none. */
export function asObject(value: JsonValue | undefined): JsonObject {
  if (isObject(value)) return value;
  throw new Error(`${JSON.stringify(value)} is not an object`);
}

interface Rule {
  readonly document: JsonObject;
  readonly schema: JsonObject;
  readonly rule: JsonValue;
  readonly value: JsonValue;
  readonly path: string;
  readonly within: (schema: JsonValue | undefined, value: JsonValue, path?: string) => string[];
}

const CHECKS: Readonly<Record<string, (rule: Rule) => string[]>> = {
  description: () => [],
  readOnly: () => [],
  writeOnly: () => [],
  // Checked by `properties`.
  required: () => [],
  additionalProperties: () => [],
  $ref: ({ document, rule, value, within }) => within(resolve(document, { $ref: rule }), value),
  anyOf: ({ rule, value, path, within }) => {
    const forms = asArray(rule).map((form) => within(form, value));
    return forms.some((violations) => violations.length === 0)
      ? []
      : [`${path} has no form: ${forms.flat().join(', ')}`];
  },
  allOf: ({ rule, value, within }) => asArray(rule).flatMap((part) => within(part, value)),
  const: ({ rule, value, path }) =>
    violationUnless(JSON.stringify(value) === JSON.stringify(rule), path, `is not ${JSON.stringify(rule)}`),
  type: ({ rule, value, path }) =>
    violationUnless(
      [rule].flat().some((type) => isOf(value, type)),
      path,
      `is not ${JSON.stringify(rule)}`,
    ),
  enum: ({ rule, value, path }) =>
    violationUnless(asArray(rule).includes(value), path, 'is not one of the values'),
  format: ({ rule, value, path }) => violationUnless(fits(rule, value), path, `is no ${String(rule)}`),
  properties: objectViolations,
  items: ({ rule, value, path, within }) =>
    Array.isArray(value) ? value.flatMap((item, index) => within(rule, item, `${path}[${index}]`)) : [],
  minItems: ({ rule, value, path }) =>
    violationUnless(!Array.isArray(value) || value.length >= Number(rule), path, 'is short'),
  maxItems: ({ rule, value, path }) =>
    violationUnless(!Array.isArray(value) || value.length <= Number(rule), path, 'is long'),
  minLength: ({ rule, value, path }) =>
    violationUnless(typeof value !== 'string' || [...value].length >= Number(rule), path, 'is short'),
  maxLength: ({ rule, value, path }) =>
    violationUnless(typeof value !== 'string' || [...value].length <= Number(rule), path, 'is long'),
  pattern: ({ rule, value, path }) =>
    violationUnless(
      typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
      path,
      'does not match',
    ),
  minimum: ({ rule, value, path }) =>
    violationUnless(typeof value !== 'number' || value >= Number(rule), path, 'is small'),
  maximum: ({ rule, value, path }) =>
    violationUnless(typeof value !== 'number' || value <= Number(rule), path, 'is large'),
  exclusiveMinimum: ({ rule, value, path }) =>
    violationUnless(typeof value !== 'number' || value > Number(rule), path, 'is small'),
};

/** Other formats accept any value. */
function fits(format: JsonValue, value: JsonValue): boolean {
  if (format === 'int32') return typeof value !== 'number' || Math.abs(value) < 2 ** 31;
  if (typeof value !== 'string') return true;
  if (format === 'date') return /^\d{4}-\d{2}-\d{2}$/.test(value);
  return (
    format !== 'date-time' || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value)
  );
}

function objectViolations({ schema, rule, value, path, within }: Rule): string[] {
  if (!isObject(value)) return [];
  const properties = asObject(rule);
  const missing = asArray(schema.required ?? []).filter((name) => !Object.hasOwn(value, String(name)));
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (Object.hasOwn(properties, name)) return within(properties[name], member, `${path}.${name}`);
    return violationUnless(schema.additionalProperties !== false, `${path}.${name}`, 'is unknown');
  });
  return [...missing.map((name) => `${path}.${String(name)} is missing`), ...members];
}

function isOf(value: JsonValue, type: JsonValue): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asArray(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${JSON.stringify(value)} is not an array`);
}

function violationUnless(holds: boolean, path: string, text: string): string[] {
  return holds ? [] : [`${path} ${text}`];
}
