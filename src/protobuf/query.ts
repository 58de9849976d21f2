import { type DescField, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { Violation } from '../base/problem.js';
import type { Members } from './members.js';
import { fieldReader } from './read-field.js';
import { integerRange, type ReadValue } from './scalar.js';
import { wrongAnnotation } from './shape.js';
import { ViolationList } from './violations.js';

/** The values of the fields that a query string sets, by their names in TypeScript, or all its violations. */
type QueryResult =
  | { readonly ok: true; readonly values: Members }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** Reads the text behind the `?`. */
export type QueryReader = (search: string) => QueryResult;

interface Parameter {
  readonly key: string;
  /** Empty and `null` count as omitted. */
  readonly optional: boolean;
  readonly toJson: (text: string) => JsonValue;
  readonly read: ReadValue;
}

/**
 * The reader of query strings that set `fields`: each parameter at most once, strictly typed.
 * Throws an Error for a field that a query string can't set.
 */
export function queryReader(
  fields: readonly DescField[],
  { ignoresUnknown }: { readonly ignoresUnknown: boolean },
): QueryReader {
  const parameters = new Map(fields.map((field) => [field.name, toParameter(field)]));
  return (search) => {
    const values: Members = {};
    if (search === '') return { ok: true, values };
    const violations = new ViolationList();
    const seen = new Set<string>();
    for (const [name, text] of new URLSearchParams(search)) {
      const parameter = parameters.get(name);
      if (parameter === undefined) {
        if (!ignoresUnknown) violations.unknown('parameter', '', name, parameters.keys());
      } else if (seen.has(name)) {
        violations.add(name, 'repeated', 'must be given once only');
      } else {
        readParameter(parameter, name, text, values, violations);
        seen.add(name);
      }
    }
    return violations.violations.length > 0
      ? { ok: false, violations: violations.violations }
      : { ok: true, values };
  };
}

function readParameter(
  parameter: Parameter,
  name: string,
  text: string,
  values: Members,
  violations: ViolationList,
): void {
  if (parameter.optional && (text === '' || text === 'null')) return;
  const value = parameter.read(parameter.toJson(text), name, violations);
  if (value !== undefined) values[parameter.key] = value;
}

function toParameter(field: DescField): Parameter {
  if (field.fieldKind !== 'scalar' && field.fieldKind !== 'enum') {
    throw wrongAnnotation(field, 'a query parameter must be a scalar or an enum');
  }
  return {
    key: field.localName,
    optional: field.presence === FeatureSet_FieldPresence.EXPLICIT,
    toJson: field.fieldKind === 'enum' ? asText : jsonOf(field.scalar),
    read: fieldReader(field, (message) => {
      throw wrongAnnotation(message, 'is not a query parameter');
    }),
  };
}

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Converts the text to a JSON value; an invalid one stays text, which its reader refuses. */
function jsonOf(scalar: ScalarType): (text: string) => JsonValue {
  if (scalar === ScalarType.STRING) return asText;
  if (scalar === ScalarType.BOOL)
    return (text) => (text === 'true' || text === 'false' ? text === 'true' : text);
  const range = integerRange(scalar);
  if (range === undefined) return (text) => (NUMBER.test(text) ? Number(text) : text);
  // Range rules are the contract's; an integer beyond the range of the field's type counts as the nearest in it.
  const clamped = (value: number) => Math.min(Math.max(value, range.min), range.max);
  return (text) => (INTEGER.test(text) ? clamped(Number(text)) : text);
}

function asText(text: string): JsonValue {
  return text;
}
