import { ExactInteger } from './exact-integer.js';
import { exactJson } from './json-body.js';
import { JsonText } from './json-text.js';

/**
 * The value itself; its JSON where one of these parts of it, which are the only ones that may, has an integer that
 * `JSON.stringify` would change.
 */
export function exactText<Value extends object>(value: Value, parts: readonly unknown[]): Value | JsonText {
  return parts.some(holdsExactInteger)
    ? new JsonText(exactJson(value), value as unknown as JsonText['value'])
    : value;
}

function holdsExactInteger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactInteger) return true;
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (holdsExactInteger(members[name])) return true;
  return false;
}
