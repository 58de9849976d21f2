import { AT_PLATFORMS, type HostFacts } from '../../anthropic/host/messages-contract.js';

/** Claude over InvokeModel: `docs/providers/amazon-bedrock.md#contract`. */
export const AT_BEDROCK: HostFacts = {
  ...AT_PLATFORMS,
  members: new Set([...(AT_PLATFORMS.members ?? [])].filter((name) => name !== 'metadata')),
};
