import type { MessagesContract } from '../../../catalog/messages-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { isFastAtVertex } from '../../../formats/modes/host-tiers.js';
import {
  AT_PLATFORMS,
  type HostFacts,
  messagesContract,
  PLATFORM_MEMBERS,
} from '../../anthropic/host/messages-contract.js';

const FAST: HostFacts = { ...AT_PLATFORMS, members: new Set([...PLATFORM_MEMBERS, 'speed']) };

/** Claude over `rawPredict`: `docs/providers/google-vertex.md#contract`. */
export function contractAtVertex(endpoint: Pick<Endpoint, 'upstreamModelId' | 'modelId'>): MessagesContract {
  return messagesContract(endpoint, isFastAtVertex(endpoint.upstreamModelId) ? FAST : AT_PLATFORMS);
}
