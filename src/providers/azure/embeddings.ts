/** Embeddings of OpenAI's models at Azure. */
import type { AzureEntry } from '../../byok/kinds/azure.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';
import type { Outgoing } from '../http/codec.js';
import { rulesOf } from '../openai/chat/rules.js';
import { AZURE_RULES } from '../openai/embeddings/hosts.js';
import { embeddingsBody } from '../openai/embeddings/request.js';
import { AZURE } from './chat/request.js';
import { deploymentName, embeddingsUrl } from './host/url.js';

/** Throws an Error as `embeddingsUrl` does. */
export async function embeddingsRequest(call: UpstreamCall<AzureEntry, 'embeddings'>): Promise<Outgoing> {
  const { quirks } = rulesOf(call.endpoint, AZURE, '');
  return {
    url: embeddingsUrl(call, quirks.apiVersion),
    headers: { 'api-key': call.credential.apiKey },
    body: await embeddingsBody(call, deploymentName(call), AZURE_RULES),
  };
}
