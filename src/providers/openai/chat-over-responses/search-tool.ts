/** The search of the web, which is a tool there: for `web_search_options`, and for models that do nothing without it. */
import { researchesAlways } from '../../../catalog/prices/searching-models.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { MAX_RESEARCH_SEARCHES } from '../../../formats/host-work.js';
import { MAX_WEB_SEARCHES } from '../../../formats/host-work-kinds.js';
import { elements, isObject, members } from '../../../formats/json.js';

interface Searching {
  readonly tools: readonly JsonObject[];
  /** The most calls of the host's own tools; undefined where the request says it, or has none. */
  readonly maxToolCalls: number | undefined;
}

/** What OpenAI's models for research need one of. */
const RESEARCH_TOOLS: ReadonlySet<unknown> = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'mcp',
]);

/**
 * The tools that the chat asks for in other words. Models for research are refused without one:
 * https://github.com/lobehub/lobehub/pull/8291 (2026-11-26).
 */
export function searchingOf(
  { web_search_options, tools }: ChatBody,
  { upstreamModelId, isAzure }: { readonly upstreamModelId: string; readonly isAzure: boolean },
): Searching {
  const isResearch = researchesAlways(upstreamModelId);
  const type = isAzure || isResearch ? 'web_search_preview' : 'web_search';
  if (isObject(web_search_options)) {
    const maxToolCalls = isResearch ? MAX_RESEARCH_SEARCHES : MAX_WEB_SEARCHES;
    return { tools: [{ type, ...optionsOf(web_search_options) }], maxToolCalls };
  }
  const isEquipped = elements(tools).some((tool) => RESEARCH_TOOLS.has(members(tool).type));
  if (!isResearch || isEquipped) return { tools: [], maxToolCalls: undefined };
  return { tools: [{ type }], maxToolCalls: MAX_RESEARCH_SEARCHES };
}

function optionsOf({ search_context_size, user_location }: JsonObject): JsonObject {
  const { approximate } = members(user_location);
  return {
    ...(search_context_size !== undefined && { search_context_size }),
    ...(isObject(approximate) && { user_location: { type: 'approximate', ...approximate } }),
  };
}
