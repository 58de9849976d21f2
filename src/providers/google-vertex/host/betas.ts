import { type HostBetas, NOWHERE_ELSE, OF_TOOLS, TOOL_SEARCH } from '../../anthropic/messages/host-betas.js';

/** Beta features of the Messages API at Vertex AI. */
export const BETAS: HostBetas = {
  absent: new Set([...NOWHERE_ELSE, 'effort-2025-11-24', 'fine-grained-tool-streaming-2025-05-14']),
  unnamed: new Set(['fast-mode-2026-02-01']),
  renamed: TOOL_SEARCH,
  ofTools: OF_TOOLS,
};
