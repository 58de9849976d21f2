/** Requests in the Responses format at Azure. */
import type { AzureEntry } from '../../../byok/kinds/azure.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';
import { rulesOf } from '../../openai/chat/rules.js';
import type { ResponsesTarget } from '../../openai/responses/target.js';
import { AZURE } from '../chat/request.js';
import { deploymentName, responsesUrl } from '../host/url.js';

/** Throws an Error as `responsesUrl` does. */
export function responsesTarget(call: CallCommons<AzureEntry>): ResponsesTarget {
  const { quirks } = rulesOf(call.endpoint, AZURE, '');
  return {
    url: responsesUrl(call, quirks.apiVersion),
    headers: { 'api-key': call.credential.apiKey },
    model: deploymentName(call),
  };
}
