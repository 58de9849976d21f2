/** What a response says besides its output: the tier that served it. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { textOf } from '../../../formats/json.js';

/** undefined if the response says nothing. */
export function membersIn(response: JsonObject): JsonObject | undefined {
  const service_tier = textOf(response.service_tier);
  return service_tier === undefined ? undefined : { service_tier };
}
