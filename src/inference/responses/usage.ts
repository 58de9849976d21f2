import type { JsonObject, Usage } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import { costOf, responseUsage } from '../../formats/responses/writing/usage.js';

/** The provider's own usage, else the gateway's counts, with the cost of the answer. */
export function withCost(told: unknown, usage: Usage): JsonObject {
  return isObject(told) ? { ...told, ...costOf(usage) } : { ...responseUsage(usage) };
}
