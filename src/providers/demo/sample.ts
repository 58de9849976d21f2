/** Deterministic sample values for JSON schemas. */
import { isObject, type JsonObject, members } from '../../formats/json.js';

/** Deeper values are null. */
const MAX_DEPTH = 8;

/** A value that conforms to the schema's types, enums, defaults and properties. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const { type, enum: values, const: constant, default: preset, properties, items } = schema;
  if (constant !== undefined) return constant;
  if (preset !== undefined) return preset;
  if (Array.isArray(values) && values.length > 0) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'example';
    case 'integer':
    case 'number':
      return sampleNumber(schema);
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

/** 1, or else a bound or what lies between the bounds, where that is within them. */
function sampleNumber({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonObject): number {
  const least = numberOr(minimum, Number.NEGATIVE_INFINITY);
  const most = numberOr(maximum, Number.POSITIVE_INFINITY);
  const above = numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const below = numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY);
  const middle = (Math.max(least, above) + Math.min(most, below)) / 2;
  const isWithin = (value: number) => value >= least && value <= most && value > above && value < below;
  return [1, least, most, above + 1, below - 1, middle].find(isWithin) ?? 1;
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}
