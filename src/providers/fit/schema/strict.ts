/** Whether a host can hold its model to a schema. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import { schemasIn } from './json-schema.js';

/** Words that OpenAI does not hold models to: https://developers.openai.com/api/docs/guides/structured-outputs */
const NOT_HELD = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
] as const;

export function canBeStrict(
  schema: unknown,
  { strictSchemas }: Pick<ChatContract, 'strictSchemas'>,
): boolean {
  if (strictSchemas === 'any') return true;
  if (!isObject(schema)) return false;
  const isHeld = strictSchemas === 'closed' ? isClosed : isFull;
  if (strictSchemas === 'full' && (schema.type !== 'object' || schema.anyOf !== undefined)) return false;
  return [...schemasIn(schema)].every((one) => !isObject(one) || isHeld(one));
}

export function isClosed({ type, additionalProperties }: JsonObject): boolean {
  return type !== 'object' || additionalProperties === false;
}

function isFull(schema: JsonObject): boolean {
  const required = new Set(elements(schema.required));
  return (
    isClosed(schema) &&
    NOT_HELD.every((word) => schema[word] === undefined) &&
    Object.keys(members(schema.properties)).every((name) => required.has(name))
  );
}
