/** How often a provider may go on by itself within one request, with what its own tools have found. */
import { elements, isObject, members } from '../../formats/json.js';
import type { InferenceRequest } from '../inference-request.js';

/**
 * After so many turns Anthropic's API pauses:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#server-tools
 */
const MAX_TURNS = 10;

/** Tools that the caller runs. */
const CALLERS: ReadonlySet<unknown> = new Set([undefined, null, 'function', 'custom']);

/** 1 for a request without tools of the provider's. */
export function hostTurns({ body, native }: Pick<InferenceRequest, 'body' | 'native'>): number {
  const { tools, web_search_options, mcp_servers } = native?.body ?? body;
  const isHosted =
    isObject(web_search_options) ||
    elements(mcp_servers).length > 0 ||
    elements(tools).some((tool) => !CALLERS.has(members(tool).type));
  return isHosted ? MAX_TURNS : 1;
}
