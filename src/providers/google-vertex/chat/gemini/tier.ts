/** Tiers of Gemini at Vertex AI: `docs/providers/google-vertex.md#service-tiers`. */
import type { JsonObject } from '../../../../formats/chat/types.js';
import { members, textOf } from '../../../../formats/json.js';
import { type GivenMode, givenIn } from '../../../../formats/modes/served-mode.js';

/** The words of `trafficType` as the header has them. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
]);

/** What clients of chats call capacity of the other types. */
const OF_CHATS: ReadonlyMap<string, string> = new Map([
  ...WORDS,
  ['ON_DEMAND', 'default'],
  ['PROVISIONED_THROUGHPUT', 'scale'],
]);

export function modeIn({ usageMetadata }: JsonObject): GivenMode | undefined {
  const type = typeIn(usageMetadata);
  return type === undefined ? undefined : givenIn({ service_tier: WORDS.get(type) ?? type });
}

/** In capitals; undefined where nothing is said. */
function typeIn(usageMetadata: unknown): string | undefined {
  const type = textOf(members(usageMetadata).trafficType)?.toUpperCase();
  return type === 'TRAFFIC_TYPE_UNSPECIFIED' ? undefined : type;
}

/** The member of a chat's answer; undefined where the type is not known. */
export function tierMember({ usageMetadata }: JsonObject): JsonObject | undefined {
  const service_tier = OF_CHATS.get(typeIn(usageMetadata) ?? '');
  return service_tier === undefined ? undefined : { service_tier };
}
