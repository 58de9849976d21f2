/** Requests for chats at Azure: OpenAI's, but for URL, version and name of the model. */
import type { AzureEntry } from '../../../byok/kinds/azure.js';
import type { Quirks } from '../../../catalog/quirks.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { CallCommons, UpstreamCall } from '../../../inference/ports/adapter.js';
import type { Outgoing } from '../../http/codec.js';
import { type AnswerRules, answerRulesOf } from '../../openai/chat/answer-rules.js';
import { quirksOf } from '../../openai/chat/quirks.js';
import { type BodyInput, requestBody } from '../../openai/chat/request.js';
import { azureUrl } from '../host/url.js';

/** Known by this slug, whatever the operator calls it. */
const AZURE = { slug: 'azure' };

/** Throws an Error as `azureUrl` does. */
export function chatRequest(call: UpstreamCall<AzureEntry, 'chat'>, isStreamed: boolean): Outgoing {
  const { credential, endpoint } = call;
  const quirks = quirksOf(endpoint, AZURE, '');
  const url = azureUrl(call, quirks.apiVersion);
  const model = credential.kind === 'deployment' ? { model: credential.modelId } : {};
  return {
    url,
    headers: { 'api-key': credential.apiKey },
    body: { ...bodyOf(call, quirks, url, isStreamed), ...model },
  };
}

/** The rules of its answers. */
export function chatAnswerRules({ endpoint }: CallCommons): AnswerRules {
  return answerRulesOf(endpoint, AZURE, '');
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
