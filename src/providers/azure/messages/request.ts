/** Requests in the Messages format at Azure, for Anthropic's models there. */
import type { AzureEntry } from '../../../byok/kinds/azure.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';
import type { MessagesTarget } from '../../anthropic/host/target.js';
import { foundryUrl } from '../host/url.js';

/** Throws an Error as `foundryUrl` does. */
export function messagesTarget(call: CallCommons<AzureEntry>): MessagesTarget {
  const { credential, endpoint } = call;
  return {
    url: foundryUrl(call),
    headers: { 'x-api-key': credential.apiKey },
    model: credential.kind === 'deployment' ? credential.modelId : endpoint.upstreamModelId,
  };
}
