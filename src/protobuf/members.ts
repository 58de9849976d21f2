import type { JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import { isObject } from '../base/json/json-value.js';

/** The fields of a message by their names in TypeScript. */
export type Members = Record<string, unknown>;

/** The message's fields, for code that knows them from its descriptor only. */
export function fieldMembersOf(message: Message): Members {
  // The compiler does not know the properties that the descriptor names at run time.
  return message as unknown as Members;
}

/** Whether the JSON value is an object, neither null nor an array. */
export function isJsonObject(json: JsonValue | undefined): json is JsonObject {
  return isObject(json);
}
