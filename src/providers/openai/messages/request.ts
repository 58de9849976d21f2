/** Requests in the Messages format, to OpenAI-compatible hosts that also speak it. */
import type { CallCommons } from '../../../inference/ports/adapter.js';
import type { MessagesTarget } from '../../anthropic/host/target.js';
import { providerUrl } from '../../http/provider-url.js';
import { DEFAULT_ROOT } from '../host/root.js';

/** Throws an Error as `providerUrl` does. */
export function messagesTarget({ provider, region, endpoint }: CallCommons): MessagesTarget {
  return {
    url: providerUrl(provider, DEFAULT_ROOT, region, '/messages'),
    headers: {},
    model: endpoint.upstreamModelId,
  };
}
