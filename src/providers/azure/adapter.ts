/** Platform A: OpenAI's chat completions at a resource or a deployment of the caller's own (spec 2.4). */
import type { Clock } from '../../base/clock.js';
import type { AzureEntry } from '../../byok/kinds/azure.js';
import type { UpstreamAdapter } from '../../inference/attempts/adapter.js';
import type { Http } from '../http/http.js';
import { chatAdapter } from '../openai/exchange.js';
import { azureBody } from './body.js';
import { azureUrl } from './url.js';

/** What the adapter speaks through. */
export interface AzureDependencies {
  /** For hosts that the platform or the operator names. */
  readonly http: Http;
  /** For hosts that a credential names: it refuses addresses that are private (interface section 4). */
  readonly guardedHttp: Http;
  readonly clock: Clock;
}

/** The adapter. Its credential is the entry that serves the endpoint's model; which one that is, its opener says. */
export function createAzureAdapter({
  http,
  guardedHttp,
  clock,
}: AzureDependencies): UpstreamAdapter<AzureEntry> {
  return chatAdapter(clock, (call, isStreamed) => {
    const { credential, provider } = call;
    const url = azureUrl(call);
    const isNamedByCredential = credential.kind === 'deployment' && provider.baseUrl === null;
    const model = credential.kind === 'deployment' ? { model: credential.modelId } : {};
    return {
      http: isNamedByCredential ? guardedHttp : http,
      url,
      headers: { 'api-key': credential.apiKey },
      body: { ...azureBody(call, url, isStreamed), ...model },
    };
  });
}
