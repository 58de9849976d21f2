/** Errors without the secrets that a provider put into them, be it deep in a cause that only the log shows. */
import { inspect } from 'node:util';
import { REDACTED } from '../../byok/redact.js';
import type { Redactor } from '../../byok/redaction/redactor.js';

/** What is thrown, itself where no secret is in it; else a copy of its kind, with all that it says redacted. */
export function redactThrown(thrown: unknown, redactor: Redactor): unknown {
  return thrown instanceof Error && holdsSecret(thrown, redactor)
    ? copyOf(thrown, redactor, MAX_DEPTH)
    : thrown;
}

/** Causes of causes that are told of. */
const MAX_DEPTH = 5;

/** More than an error says: a broken answer may be in it as a whole. */
const MAX_SAID_CHARACTERS = 1024 * 1024;

function holdsSecret(value: object, redactor: Redactor): boolean {
  const said = inspect(value, {
    depth: MAX_DEPTH,
    maxArrayLength: MAX_SAID_CHARACTERS,
    maxStringLength: MAX_SAID_CHARACTERS,
    breakLength: Number.POSITIVE_INFINITY,
  });
  return redactor.member(said) !== said;
}

/** Every member of its own is redacted, hidden ones too: the stack begins with the message. */
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
  return holdsSecret(value, redactor) ? REDACTED : value;
}
