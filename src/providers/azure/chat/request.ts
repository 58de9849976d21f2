/** Requests for chats at Azure. They are OpenAI's, except for the URL, the version and the name of the model. */
import type { AzureEntry } from '../../../byok/kinds/azure.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { Quirks } from '../../../catalog/quirks.js';
import type { Endpoint } from '../../../catalog/types.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { CallCommons, UpstreamCall } from '../../../inference/ports/adapter.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Fitted, Outgoing } from '../../http/codec.js';
import type { AnswerRules } from '../../openai/chat/answer-rules.js';
import { type BodyInput, requestBody } from '../../openai/chat/request.js';
import { rulesOf } from '../../openai/chat/rules.js';
import { azureUrl } from '../host/url.js';

/** The quirks are always those of this slug, whatever name the operator gives the provider. */
export const AZURE = { slug: 'azure' };

/** Throws an Error as `azureUrl` does. */
export function chatRequest(call: UpstreamCall<AzureEntry, 'chat'>, isStreamed: boolean): Outgoing {
  const { credential, endpoint } = call;
  const { quirks } = rulesOf(endpoint, AZURE, '');
  const url = azureUrl(call, quirks.apiVersion);
  const model = credential.kind === 'deployment' ? { model: credential.modelId } : {};
  return {
    url,
    headers: { 'api-key': credential.apiKey },
    body: { ...bodyOf(call, quirks, url, isStreamed), ...model },
  };
}

/** The call as Azure takes it. Throws as `fitChat` does. */
export function fitForHost(call: UpstreamCall<AzureEntry, 'chat'>): Fitted<AzureEntry, 'chat'> {
  return fitChat(call, contractOf(call.endpoint));
}

export function contractOf(endpoint: Endpoint): ChatContract {
  return rulesOf(endpoint, AZURE, '').contract;
}

export function answerRulesOf({ endpoint }: CallCommons): AnswerRules {
  return rulesOf(endpoint, AZURE, '').answers;
}

/** The first dated `api-version` that takes `stream_options`. */
const FIRST_WITH_STREAM_OPTIONS = '2024-09-01';

/**
 * OpenAI's body, without `stream_options` if the URL's version refuses it. Which dated versions have a `prompt_cache_key` nobody
 * says.
 */
function bodyOf(call: BodyInput, quirks: Quirks, url: URL, isStreamed: boolean): JsonObject {
  const { sessionHint, ...unhinted } = call;
  const isDated = apiVersion(url) !== NEWEST;
  const { stream_options, ...rest } = requestBody(isDated ? unhinted : call, quirks, isStreamed);
  const isKnown = apiVersion(url) >= FIRST_WITH_STREAM_OPTIONS;
  return isKnown && stream_options !== undefined ? { ...rest, stream_options } : rest;
}

const NEWEST = 'newest';

/** Versions are dates, some with a suffix. A URL without one has the newest. */
function apiVersion(url: URL): string {
  return url.searchParams.get('api-version') ?? NEWEST;
}
