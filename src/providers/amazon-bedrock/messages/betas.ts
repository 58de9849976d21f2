import { type HostBetas, OF_TOOLS, TOOL_SEARCH } from '../../anthropic/messages/host-betas.js';

/**
 * All that Amazon takes, by its own list and LiteLLM's (`docs/messages.md#beta-features`). What it does not take it refuses
 * without a word about which it is, so that the request would have to be made again without any.
 */
const TAKEN: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
]);

/** Beta features of the Messages API at Bedrock. */
export const BETAS: HostBetas = {
  absent: { has: (beta) => !TAKEN.has(TOOL_SEARCH.get(beta) ?? beta) },
  renamed: TOOL_SEARCH,
  ofTools: OF_TOOLS,
};
