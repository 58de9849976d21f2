import { AT_PLATFORMS, type HostFacts } from '../../anthropic/host/messages-contract.js';

/** Claude over `rawPredict`: `docs/providers/google-vertex.md#contract`. */
export const AT_VERTEX: HostFacts = AT_PLATFORMS;
