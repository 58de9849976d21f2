/** What answers in the Responses format used. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import type { UpstreamUsage } from '../../../inference/ports/adapter.js';
import { usageOf } from '../chat/usage.js';

/** The counts of a response; undefined where it has none. Its searches are known even so. */
export function usageIn({ usage }: JsonObject, items: Iterable<JsonObject>): UpstreamUsage | undefined {
  const counts = usageOf({ usage });
  if (counts?.webSearches !== undefined) return counts;
  let webSearches = 0;
  for (const item of items) if (isSearch(item)) webSearches += 1;
  return counts === undefined && webSearches === 0 ? undefined : { ...counts, webSearches };
}

/** As `usageIn`, for an answer in one piece. */
export function usageOfResponse(response: JsonObject): UpstreamUsage {
  return usageIn(response, elements(response.output).map(members)) ?? {};
}

/**
 * Opening a page that was found and finding words in it are not billed:
 * https://platform.openai.com/docs/guides/tools-web-search (2026-11-26).
 */
function isSearch({ type, action }: JsonObject): boolean {
  return type === 'web_search_call' && (members(action).type ?? 'search') === 'search';
}
