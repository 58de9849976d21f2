import { AT_PLATFORMS, type HostFacts, PLATFORM_MEMBERS } from '../../anthropic/host/messages-contract.js';

/** Claude over InvokeModel: `docs/providers/amazon-bedrock.md#contract`. Its tier is asked for by a header. */
export const AT_BEDROCK: HostFacts = {
  ...AT_PLATFORMS,
  members: new Set([...PLATFORM_MEMBERS, 'service_tier'].filter((name) => name !== 'metadata')),
  missingTools: [...AT_PLATFORMS.missingTools, 'tool_search_tool_bm25', 'web_search_'],
};
