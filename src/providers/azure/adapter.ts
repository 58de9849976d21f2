/** Azure: OpenAI's chat completions and Anthropic's messages at a resource or a deployment of the caller: `docs/formats.md#azure`. */
import type { Clock } from '../../base/clock.js';
import type { AzureEntry } from '../../byok/kinds/azure.js';
import type { Quirks } from '../../catalog/quirks.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamAdapter } from '../../inference/ports/adapter.js';
import type { Http } from '../http/http.js';
import { chatAdapter } from '../openai/chat-adapter.js';
import { quirksOf } from '../openai/quirks.js';
import { type BodyInput, requestBody } from '../openai/request.js';
import { type AzureCall, azureUrl, foundryUrl } from './url.js';

export interface AzureDependencies {
  /** For hosts of Azure and of the operator. */
  readonly http: Http;
  /** For hosts that a credential names: refuses private addresses. */
  readonly guardedHttp: Http;
  readonly clock: Clock;
}

/** Known by this slug, whatever the operator calls it. */
const AZURE = { slug: 'azure' };

/** Its credential is the one entry that serves the endpoint's model, chosen by `openCredential`. */
export function createAzureAdapter({
  http,
  guardedHttp,
  clock,
}: AzureDependencies): UpstreamAdapter<AzureEntry> {
  const httpFor = ({ credential, provider }: AzureCall) =>
    credential.kind === 'deployment' && provider.baseUrl === null ? guardedHttp : http;
  return chatAdapter(
    clock,
    (call, isStreamed) => {
      const { credential, endpoint } = call;
      const quirks = quirksOf(endpoint, AZURE, '');
      const url = azureUrl(call, quirks.apiVersion);
      const model = credential.kind === 'deployment' ? { model: credential.modelId } : {};
      return {
        http: httpFor(call),
        url,
        headers: { 'api-key': credential.apiKey },
        body: { ...bodyOf(call, quirks, url, isStreamed), ...model },
      };
    },
    (call) => {
      const { credential, endpoint } = call;
      return {
        http: httpFor(call),
        url: foundryUrl(call),
        headers: { 'x-api-key': credential.apiKey },
        model: credential.kind === 'deployment' ? credential.modelId : endpoint.upstreamModelId,
      };
    },
  );
}

/** The first dated `api-version` that takes `stream_options`. */
const FIRST_WITH_STREAM_OPTIONS = '2024-09-01';

/** OpenAI's body, without `stream_options` where the URL's version refuses it. */
function bodyOf(call: BodyInput, quirks: Quirks, url: URL, isStreamed: boolean): JsonObject {
  const { stream_options, ...rest } = requestBody(call, quirks, isStreamed);
  const isKnown = apiVersion(url) >= FIRST_WITH_STREAM_OPTIONS;
  return isKnown && stream_options !== undefined ? { ...rest, stream_options } : rest;
}

/** Versions are dates, some with a suffix; a URL without one has the newest. */
function apiVersion(url: URL): string {
  return url.searchParams.get('api-version') ?? 'newest';
}
