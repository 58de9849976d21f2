/** What a message says besides its content: the tier that served it, its container, edits of its context. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';

/** undefined if the message has none of them. */
export function membersOf({ usage, container, context_management }: JsonObject): JsonObject | undefined {
  const service_tier = textOf(members(usage).service_tier);
  const said = {
    ...(service_tier !== undefined && { service_tier }),
    ...(isObject(container) && { container }),
    ...(isObject(context_management) && { context_management }),
  };
  return Object.keys(said).length === 0 ? undefined : said;
}
