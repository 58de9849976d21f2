/** Lenient access to JSON from outside. */

import { isObject, type JsonObject } from '../base/json/json-value.js';

export { isObject, type JsonObject } from '../base/json/json-value.js';

/** undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object itself, or an empty one for any other value. */
export function members(value: unknown): JsonObject {
  return isObject(value) ? value : NO_MEMBERS;
}

/** The array itself, or an empty one for any other value. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A non-empty string; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const NO_MEMBERS: JsonObject = {};
