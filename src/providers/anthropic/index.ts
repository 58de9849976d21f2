/** Anthropic's Messages API, and providers that copy it: `docs/formats.md#anthropic`. */
import type { AnthropicCredential } from '../../byok/kinds/anthropic.js';
import { NO_KEY } from '../../byok/kinds/bare-key.js';
import { takesOpenHeaders } from '../../formats/shared-capacity/open-headers.js';
import type { CallCommons } from '../../inference/ports/adapter.js';
import type { HttpProvider } from '../http/codec.js';
import type { Http } from '../http/http.js';
import { providerUrl } from '../http/provider-url.js';
import { chatOverMessages } from './chat/codec.js';
import { AT_ANTHROPIC } from './host/messages-contract.js';
import type { MessagesTarget } from './host/target.js';
import { messagesCodec } from './messages/codec.js';

/** The API root of a provider without a `base_url`. */
const DEFAULT_ROOT = 'https://api.anthropic.com/v1';

export function anthropic({ http }: { readonly http: Http }): HttpProvider<AnthropicCredential> {
  return {
    send: (request, { signal, tenancy, hostHeaders, onSent }) =>
      http.post({ ...request, signal, tenancy, hostHeaders, onSent }),
    formats: {
      chat: chatOverMessages(targetOf, AT_ANTHROPIC),
      messages: messagesCodec(targetOf, AT_ANTHROPIC),
      responses: null,
      completions: null,
      embeddings: null,
      rerank: null,
    },
  };
}

function targetOf({
  provider,
  region,
  credential: { apiKey },
  endpoint,
}: CallCommons<AnthropicCredential>): MessagesTarget {
  return {
    url: providerUrl(provider, DEFAULT_ROOT, region, '/messages'),
    headers: apiKey === NO_KEY ? {} : { 'x-api-key': apiKey },
    takesOpenHeaders: takesOpenHeaders(provider),
    model: endpoint.upstreamModelId,
  };
}
