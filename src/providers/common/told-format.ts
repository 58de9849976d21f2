/** The form of an answer in words, for models that have no member for it. */
import { exactJson } from '../../base/json/json-body.js';
import type { JsonObject } from '../../formats/chat/types.js';

export const JSON_ONLY = 'Answer with one JSON object and nothing else: no words around it, no code fence.';

export function jsonFollowing(schema: JsonObject): string {
  return `${JSON_ONLY} It follows this JSON schema: ${exactJson(schema)}`;
}
