/** What a Responses request uses that not all hosts take: `docs/providers/README.md#contracts`. */
import type { Uses } from '../chat/untaken.js';
import type { JsonObject } from '../json.js';

export function usesOfResponses(_body: JsonObject): Uses<'responses'> {
  return { isPlain: false, untakenBy: () => [], unsupportedBy: () => [], pathOf: () => undefined };
}
