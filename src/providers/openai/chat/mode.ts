import type { JsonObject } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { type GivenMode, givenIn } from '../../../formats/modes/served-mode.js';

/** The tier of an answer or a chunk; of hosts that pass on those of others, also what these say in `usage`. */
export function modeIn({ service_tier, usage }: JsonObject): GivenMode | undefined {
  const inUsage = givenIn(members(usage));
  const told = givenIn({ service_tier });
  return inUsage === undefined || told === undefined ? (told ?? inUsage) : { ...inUsage, ...told };
}
