import { type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isWellFormed } from '../base/text.js';
import type { ViolationList } from './violations.js';

/** Reads one JSON value; for an invalid one it adds violations and returns undefined. */
export type ReadValue = (json: JsonValue, path: string, violations: ViolationList) => unknown;

interface Range {
  readonly min: number;
  readonly max: number;
  /** The message holds a bigint. */
  readonly long: boolean;
}

const INT32: Range = { min: -(2 ** 31), max: 2 ** 31 - 1, long: false };
const UINT32: Range = { min: 0, max: 2 ** 32 - 1, long: false };
// JSON numbers are exact only up to 2^53 - 1.
const INT64: Range = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, long: true };
const UINT64: Range = { min: 0, max: Number.MAX_SAFE_INTEGER, long: true };

/** The range of an integer type; undefined for a type that is not one. */
export function integerRange(scalar: ScalarType): Range | undefined {
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return INT32;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return UINT32;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return INT64;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return UINT64;
    default:
      return undefined;
  }
}

/** The reader of a scalar type; undefined for bytes, which REST JSON has no form for. Nothing is coerced. */
export function scalarReader(scalar: ScalarType): ReadValue | undefined {
  const range = integerRange(scalar);
  if (range !== undefined) return (json, path, violations) => readInteger(json, path, violations, range);
  switch (scalar) {
    case ScalarType.STRING:
      return readString;
    case ScalarType.BOOL:
      return readBoolean;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return readNumber;
    default:
      return undefined;
  }
}

function readString(json: JsonValue, path: string, violations: ViolationList): unknown {
  if (typeof json !== 'string') return violations.add(path, 'type', 'must be a string');
  if (!isWellFormed(json))
    return violations.add(path, 'type', 'must be a string of whole Unicode characters');
  return json;
}

function readBoolean(json: JsonValue, path: string, violations: ViolationList): unknown {
  return typeof json === 'boolean' ? json : violations.add(path, 'type', 'must be true or false');
}

function readNumber(json: JsonValue, path: string, violations: ViolationList): unknown {
  if (typeof json !== 'number') return violations.add(path, 'type', 'must be a number');
  return Number.isFinite(json) ? json : violations.add(path, 'range', 'must be a finite number');
}

function readInteger(
  json: JsonValue,
  path: string,
  violations: ViolationList,
  { min, max, long }: Range,
): unknown {
  if (typeof json !== 'number' || (Number.isFinite(json) && !Number.isInteger(json))) {
    return violations.add(path, 'type', 'must be an integer');
  }
  if (json < min || json > max) return violations.add(path, 'range', `must be between ${min} and ${max}`);
  return long ? BigInt(json) : json;
}
