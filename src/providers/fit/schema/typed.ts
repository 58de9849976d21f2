/** Types of schemas that say none. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject } from '../../../formats/json.js';

/** Words from which hosts read the type. */
const ENOUGH = ['type', 'anyOf', '$ref', 'enum', 'const'] as const;

/** Words that only schemas of one type have. */
const OF_TYPES: readonly (readonly [type: string, words: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

const ANY = ['string', 'number', 'boolean', 'object', 'array', 'null'].map((type) => ({ type }));

/** The schema with the type that its words speak of; any, where they speak of none. */
export function typed(schema: JsonObject): JsonObject {
  if (ENOUGH.some((word) => schema[word] !== undefined)) return schema;
  const { oneOf, not, ...rest } = schema;
  if (Array.isArray(oneOf)) return typed({ ...rest, ...(not !== undefined && { not }), anyOf: oneOf });
  const type = OF_TYPES.find(([, words]) => words.some((word) => schema[word] !== undefined))?.[0];
  if (type !== undefined) return { ...schema, type };
  if (isObject(not) && Object.keys(not).length === 0) return { ...rest, type: 'null' };
  const inherited = elements(schema.allOf)
    .filter(isObject)
    .map((one) => typed(one).type)
    .find((one) => one !== undefined);
  return inherited === undefined ? { ...schema, anyOf: ANY } : { ...schema, type: inherited };
}
