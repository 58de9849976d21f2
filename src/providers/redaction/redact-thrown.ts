/** Redacts errors in which a provider put secrets, including their causes, which only the log shows. */
import { inspect } from 'node:util';
import { REDACTED } from '../../byok/redact.js';
import type { Redactor } from '../../byok/redaction/redactor.js';

/** Returns the error itself if it has no secret, else a redacted copy of the same class. */
export function redactThrown(thrown: unknown, redactor: Redactor): unknown {
  return thrown instanceof Error && containsSecret(thrown, redactor)
    ? copyOf(thrown, redactor, MAX_DEPTH)
    : thrown;
}

/** How many nested causes are kept. */
const MAX_DEPTH = 5;

/** Enough for an error that contains a whole malformed answer. */
const MAX_INSPECTED_CHARACTERS = 1024 * 1024;

function containsSecret(value: object, redactor: Redactor): boolean {
  const text = inspect(value, {
    depth: MAX_DEPTH,
    maxArrayLength: MAX_INSPECTED_CHARACTERS,
    maxStringLength: MAX_INSPECTED_CHARACTERS,
    breakLength: Number.POSITIVE_INFINITY,
  });
  return redactor.member(text) !== text;
}

/** Copies all own properties redacted, including non-enumerable ones: the stack contains the message. */
function copyOf(error: Error, redactor: Redactor, depth: number): Error {
  const copy: Error = Object.create(Object.getPrototypeOf(error));
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name);
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    Object.defineProperty(copy, name, { value: detailOf(value, redactor, depth), enumerable });
  }
  return copy;
}

function detailOf(value: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof value === 'string') return redactor.member(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return REDACTED;
  if (value instanceof Error) return copyOf(value, redactor, depth - 1);
  return containsSecret(value, redactor) ? REDACTED : value;
}
