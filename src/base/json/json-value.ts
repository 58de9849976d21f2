import { ExactInteger } from './exact-integer.js';

/** What `JSON.parse` may give. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonMembers;

/** The members of a JSON object. */
export interface JsonMembers {
  [name: string]: JsonValue;
}

/** A JSON object of any members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object, neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactInteger)
  );
}

/** An assignment that keeps a member named __proto__ as data. */
export function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
