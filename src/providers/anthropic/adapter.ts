/** Anthropic's Messages API, and providers that copy it: `docs/formats.md#anthropic`. */
import type { Clock } from '../../base/clock.js';
import type { AnthropicCredential } from '../../byok/kinds/anthropic.js';
import { NO_KEY } from '../../byok/kinds/bare-key.js';
import type { UpstreamAdapter } from '../../inference/ports/adapter.js';
import type { Http } from '../http/http.js';
import { providerUrl } from '../http/provider-url.js';
import { messagesAdapter } from './messages-adapter.js';

/** The API root of a provider without a `base_url`. */
const DEFAULT_ROOT = 'https://api.anthropic.com/v1';

export interface AnthropicDependencies {
  readonly http: Http;
  readonly clock: Clock;
}

export function createAnthropicAdapter({
  http,
  clock,
}: AnthropicDependencies): UpstreamAdapter<AnthropicCredential> {
  return messagesAdapter(clock, ({ provider, region, credential, endpoint }) => ({
    http,
    url: providerUrl(provider, DEFAULT_ROOT, region, '/messages'),
    headers: credential.apiKey === NO_KEY ? {} : { 'x-api-key': credential.apiKey },
    model: endpoint.upstreamModelId,
  }));
}
