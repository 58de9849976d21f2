/** Chat completions of OpenAI and of compatible providers: `docs/formats.md#openai`. */
import type { Clock } from '../../base/clock.js';
import { NO_KEY } from '../../byok/kinds/bare-key.js';
import type { OpenAiCredential } from '../../byok/kinds/openai.js';
import type { UpstreamAdapter } from '../../inference/ports/adapter.js';
import type { Http } from '../http/http.js';
import { chatAdapter } from './chat-adapter.js';
import { quirksOf } from './quirks.js';
import { chatUrl, messagesUrl, requestBody } from './request.js';

export interface OpenAiDependencies {
  readonly http: Http;
  readonly clock: Clock;
}

export function createOpenAiAdapter({ http, clock }: OpenAiDependencies): UpstreamAdapter<OpenAiCredential> {
  return chatAdapter(
    clock,
    (call, isStreamed) => {
      const { endpoint, provider, region, credential } = call;
      const url = chatUrl(provider, region);
      return {
        http,
        url,
        headers: authorizationOf(credential),
        body: requestBody(call, quirksOf(endpoint, provider, url.host), isStreamed),
      };
    },
    ({ endpoint, provider, region, credential }) => ({
      http,
      url: messagesUrl(provider, region),
      headers: authorizationOf(credential),
      model: endpoint.upstreamModelId,
    }),
  );
}

function authorizationOf({ apiKey }: OpenAiCredential): Readonly<Record<string, string>> {
  return apiKey === NO_KEY ? {} : { authorization: `Bearer ${apiKey}` };
}
