import { describe, expect, it } from 'vitest';
import type { AzureEntry } from '../../../src/byok/kinds/azure.js';
import { azureUrl } from '../../../src/providers/azure/url.js';
import { azureCall, azureProvider, deployment, resource } from './adapter.fixture.js';

function urlOf(credential: AzureEntry, baseUrl: string | null = null, region: string | null = null): string {
  return azureUrl({ ...azureCall(baseUrl, { credential }), provider: azureProvider(baseUrl), region }).href;
}

const DATED = '/openai/deployments/gpt-m/chat/completions?api-version=2024-10-21';
const CATALOG = '/openai/v1/chat/completions';
const OWN = '/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview';

describe('where a chat goes', () => {
  it.each<[string, AzureEntry, string]>([
    ['a deployment-style resource', resource(), `https://my-resource.openai.azure.com${DATED}`],
    [
      'a catalog-style resource',
      resource({ resourceType: 'catalog' }),
      `https://my-resource.services.ai.azure.com${CATALOG}`,
    ],
    ['a per-deployment entry', deployment(), `https://my-resource.openai.azure.com${OWN}`],
  ])('%s', (_, credential, url) => {
    expect(urlOf(credential)).toBe(url);
  });

  it('keeps the query of a per-deployment entry, but no fragment', () => {
    const endpointUrl =
      'https://r.models.ai.azure.com/chat/completions?b=%2f+x&api-version=2024-05-01&api-version=2#top';
    expect(urlOf(deployment({ endpointUrl }))).toBe(endpointUrl.replace('#top', ''));
  });

  it('has a deployment’s name in one path segment, whatever the catalogue calls it', () => {
    const call = azureCall(null);
    const endpoint = { ...call.endpoint, upstreamModelId: 'a/b?c' };
    expect(azureUrl({ ...call, endpoint }).pathname).toBe('/openai/deployments/a%2Fb%3Fc/chat/completions');
  });
});

describe('base_url replaces scheme and host of every URL', () => {
  it.each<[string, AzureEntry, string]>([
    ['http://127.0.0.1:9', resource(), `http://127.0.0.1:9${DATED}`],
    ['http://127.0.0.1:9/', resource({ resourceType: 'catalog' }), `http://127.0.0.1:9${CATALOG}`],
    ['http://127.0.0.1:9', deployment(), `http://127.0.0.1:9${OWN}`],
    ['https://{resource}.openai.azure.us', resource(), `https://my-resource.openai.azure.us${DATED}`],
    ['https://{resource}.{region}.host', deployment(), `https://my-resource.eu.host${OWN}`],
    ['https://host/prefix/{resource}/', resource(), `https://host/prefix/my-resource${DATED}`],
  ])('%s', (baseUrl, credential, url) => {
    expect(urlOf(credential, baseUrl, 'eu')).toBe(url);
  });

  it('is an error while a placeholder has no value', () => {
    expect(() => urlOf(resource(), 'https://{region}.host')).toThrow('placeholder');
  });
});
