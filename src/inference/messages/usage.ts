import type { JsonObject, Usage } from '../../formats/chat/types.js';

/** The provider's own usage, with the cost of the answer. */
export function withCost(usage: unknown, { cost, is_byok, cost_details }: Usage): JsonObject {
  return Object.assign({}, typeof usage === 'object' ? usage : {}, { cost, is_byok, cost_details });
}
