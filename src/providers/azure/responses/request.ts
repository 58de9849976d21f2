/** Requests in the Responses format at Azure. */
import type { AzureEntry } from '../../../byok/kinds/azure.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';
import type { ResponsesTarget } from '../../openai/responses/target.js';
import { azureUrl } from '../host/url.js';

export function responsesTarget(call: CallCommons<AzureEntry>): ResponsesTarget {
  const { credential, endpoint } = call;
  return {
    url: azureUrl(call),
    headers: { 'api-key': credential.apiKey },
    model: credential.kind === 'deployment' ? credential.modelId : endpoint.upstreamModelId,
  };
}
