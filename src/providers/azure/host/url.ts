/** URLs of models on Azure. */
import { trimEnd } from '../../../base/text.js';
import type { AzureDeployment, AzureEntry, AzureResource } from '../../../byok/kinds/azure.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';

export type AzureCall = Pick<CallCommons<AzureEntry>, 'credential' | 'endpoint' | 'provider' | 'region'>;

/** The version without a date, which every resource has. Its path finds the deployment by the body's `model`. */
const UNDATED = 'v1';
const UNDATED_PATH = '/openai/v1/chat/completions';

/**
 * The URL of a chat. For a resource it follows from its type, the version (preferably the entry's own) and the
 * deployment's name (the endpoint's `upstreamModelId`). A deployment entry has its own URL, including the query. The
 * provider's `base_url` replaces scheme and host, and its path is put before Azure's. Throws an Error for a placeholder
 * without a value.
 */
export function azureUrl(call: AzureCall, version = UNDATED): URL {
  return operationUrl(call, version, CHATS);
}

/** The URL of embeddings, at the same place. Throws as `azureUrl` does. */
export function embeddingsUrl(call: AzureCall, version = UNDATED): URL {
  return operationUrl(call, version, EMBEDDINGS);
}

const CHATS = '/chat/completions';
const EMBEDDINGS = '/embeddings';

/** The URL of an entry is that of either operation, whichever its deployment has. */
function operationUrl(call: AzureCall, version: string, operation: string): URL {
  const { credential, endpoint } = call;
  const url =
    credential.kind === 'resource'
      ? resourceUrl(credential, endpoint.upstreamModelId, credential.apiVersion ?? version)
      : deploymentUrl(credential);
  const { pathname } = url;
  const named = [CHATS, EMBEDDINGS].find((path) => pathname.endsWith(path));
  if (named !== undefined) url.pathname = `${pathname.slice(0, -named.length)}${operation}`;
  return atProvider(call, url);
}

/**
 * The URL for messages to Anthropic's models:
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude. Resources of both types
 * have it at the same host. Throws as `azureUrl` does.
 */
export function foundryUrl(call: AzureCall): URL {
  const { credential } = call;
  const url =
    credential.kind === 'resource'
      ? new URL(`https://${credential.resourceName}.services.ai.azure.com/anthropic/v1/messages`)
      : deploymentUrl(credential);
  return atProvider(call, url);
}

const UNDATED_RESPONSES = '/openai/v1/responses';

/** The first version with a date that has responses: https://github.com/openai/openai-python/issues/2184 (2026-11-26). */
const FIRST_WITH_RESPONSES = '2025-03-01';

/**
 * The URL of responses. A dated version that has them has them beside its deployments
 * (https://github.com/openai/codex/issues/1628, 2026-11-26); elsewhere they are at the version without a date, also for an entry
 * whose own URL is that of its chats. Throws as `azureUrl` does.
 */
export function responsesUrl(call: AzureCall, version = UNDATED): URL {
  const { credential } = call;
  if (credential.kind === 'deployment') {
    const url = deploymentUrl(credential);
    return atProvider(call, isOfResponses(url) ? url : new URL(`${url.origin}${UNDATED_RESPONSES}`));
  }
  const { origin } = resourceUrl(credential, '', UNDATED);
  const dated = credential.apiVersion ?? version;
  const hasOwn = dated !== UNDATED && dated >= FIRST_WITH_RESPONSES;
  const path = hasOwn ? `/openai/responses?api-version=${dated}` : UNDATED_RESPONSES;
  return atProvider(call, new URL(`${origin}${path}`));
}

/** The name of the deployment, which the body of responses has in place of the URL. */
export function deploymentName({ credential, endpoint }: AzureCall): string {
  if (credential.kind === 'resource') return endpoint.upstreamModelId;
  const [, named] = DEPLOYMENT.exec(new URL(credential.endpointUrl).pathname) ?? [];
  return named === undefined ? credential.modelId : decodeURIComponent(named);
}

const DEPLOYMENT = /\/deployments\/([^/]+)\//;

function isOfResponses({ pathname }: URL): boolean {
  return pathname.endsWith('/responses');
}

function atProvider({ credential, provider, region }: AzureCall, url: URL): URL {
  if (provider.baseUrl === null) return url;
  const resource = credential.kind === 'resource' ? credential.resourceName : firstLabel(url);
  const filled = provider.baseUrl
    .replaceAll('{resource}', resource)
    .replaceAll('{region}', region ?? '{region}');
  if (filled.includes('{'))
    throw new Error(`the base_url of ${provider.slug} has a placeholder that nothing fills`);
  const base = new URL(filled);
  return new URL(`${base.origin}${trimEnd(base.pathname, '/')}${url.pathname}${url.search}`);
}

function resourceUrl(
  { resourceName, resourceType }: AzureResource,
  deployment: string,
  version: string,
): URL {
  const domain = resourceType === 'catalog' ? 'services.ai.azure.com' : 'openai.azure.com';
  const origin = `https://${resourceName}.${domain}`;
  if (version === UNDATED) return new URL(`${origin}${UNDATED_PATH}`);
  const path = `/openai/deployments/${encodeURIComponent(deployment)}/chat/completions`;
  return new URL(`${origin}${path}?api-version=${version}`);
}

function deploymentUrl({ endpointUrl }: AzureDeployment): URL {
  const url = new URL(endpointUrl);
  url.hash = '';
  return url;
}

/** The resource of an entry that does not name one. */
function firstLabel({ hostname }: URL): string {
  return hostname.split('.')[0] ?? hostname;
}
