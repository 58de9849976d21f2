import { type HostBetas, NOWHERE_ELSE, OF_TOOLS, TOOL_SEARCH } from '../../anthropic/messages/host-betas.js';

/** Beta features of the Messages API at Bedrock. */
export const BETAS: HostBetas = {
  absent: new Set([...NOWHERE_ELSE, 'per-turn-control-2026-07-01', 'web-search-2025-03-05']),
  renamed: TOOL_SEARCH,
  ofTools: OF_TOOLS,
};
