import type { GenerationFilter } from '../../src/inference/ports/generation.js';

/** A filter that restricts nothing. */
export const ANY_GENERATION: GenerationFilter = {
  from: null,
  to: null,
  apiKeyHashes: null,
  workspaceIds: null,
  userIds: null,
  models: null,
  providers: null,
  apis: null,
  statuses: null,
  reasons: null,
  sessionIds: null,
  runIds: null,
  runs: null,
  endUsers: null,
  agentIds: null,
  parentAgentIds: null,
  isByok: null,
};
