/** JSON that somebody else wrote: read for what is there, whatever it is. */
import type { JsonObject } from '../../formats/chat/types.js';

/** The value that the text says; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is a JSON object; an array is none. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of what should be an object; none of what is not. */
export function members(value: unknown): JsonObject {
  return isObject(value) ? value : NO_MEMBERS;
}

/** The elements of what should be an array; none of what is not. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is one and says something; else undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const NO_MEMBERS: JsonObject = {};
