import type { JsonObject, Usage } from '../../formats/chat/types.js';
import { isObject, members } from '../../formats/json.js';
import { costOf, responseUsage } from '../../formats/responses/writing/usage.js';

/**
 * The provider's own usage with the cost of the answer. Counts that it lacks, or that are none, are the gateway's: Codex
 * reads no answer without them (https://github.com/6Kmfi6HP/opencode2api/pull/11,
 * https://github.com/farion1231/cc-switch/pull/3514, 2026-11-26).
 */
export function withCost(told: unknown, usage: Usage): JsonObject {
  return { ...withCounts(told, { ...responseUsage(usage) }), ...costOf(usage) };
}

function withCounts(told: unknown, counts: JsonObject): JsonObject {
  const own = members(told);
  const kept = Object.entries(counts).map(([name, count]) => [
    name,
    isObject(count) ? withCounts(own[name], count) : isCount(own[name]) ? own[name] : count,
  ]);
  return { ...own, ...Object.fromEntries(kept) };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
