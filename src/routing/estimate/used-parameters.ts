/** Finds the catalogue's parameters that a chat request uses, for `require_parameters`. See docs/routing.md. */

import { PARAMETERS } from '../../catalog/enums.js';
import type { JsonObject } from '../../formats/json.js';

/** Spellings of the same parameter. An endpoint that supports one of them supports all. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['max_tokens', 'max_completion_tokens'],
  ['reasoning', 'reasoning_effort', 'include_reasoning'],
];

/**
 * The parameters that the request uses, in the catalogue's order. A member that is null or has its default (no tools,
 * plain text, reasoning off) is not used. A `json_schema` format uses `structured_outputs`.
 */
export function usedParameters(body: JsonObject): string[] {
  const used = new Set<string>();
  for (const name of PARAMETERS) {
    const value = body[name];
    if (!isDefault(name, value)) used.add(isJsonSchema(name, value) ? 'structured_outputs' : name);
  }
  return [...used];
}

/** The used parameters that are supported in none of their spellings. */
export function missingParameters(used: readonly string[], supported: readonly string[]): string[] {
  return used.filter((name) => !spellings(name).some((spelling) => supported.includes(spelling)));
}

function spellings(name: string): readonly string[] {
  return SYNONYMS.find((group) => group.includes(name)) ?? [name];
}

function isDefault(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value) && value.length === 0) return true;
  switch (name) {
    case 'logprobs':
    case 'include_reasoning':
    case 'structured_outputs':
      return value === false;
    case 'response_format':
      return member(value, 'type') === 'text';
    case 'reasoning':
      return member(value, 'enabled') === false || member(value, 'effort') === 'none';
    case 'reasoning_effort':
      return value === 'none';
    default:
      return false;
  }
}

function isJsonSchema(name: string, value: unknown): boolean {
  return name === 'response_format' && member(value, 'type') === 'json_schema';
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Reflect.get(value, name);
}
