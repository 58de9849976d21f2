import { describe, expect, it } from 'vitest';
import type { AzureEntry } from '../../../src/byok/kinds/azure.js';
import { azureUrl } from '../../../src/providers/azure/host/url.js';
import { azureCall, azureProvider, deployment, resource } from './adapter.fixture.js';

function urlOf(
  credential: AzureEntry,
  baseUrl: string | null = null,
  region: string | null = null,
  version?: string,
): string {
  const call = { ...azureCall(baseUrl, { credential }), provider: azureProvider(baseUrl), region };
  return azureUrl(call, version).href;
}

const UNDATED = '/openai/v1/chat/completions';
const DATED = '/openai/deployments/gpt-m/chat/completions?api-version=2025-04-01-preview';
const OWN = '/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview';

describe('where a chat goes', () => {
  it.each<[string, AzureEntry, string]>([
    ['a deployment-style resource', resource(), `https://my-resource.openai.azure.com${UNDATED}`],
    [
      'a catalog-style resource',
      resource({ resourceType: 'catalog' }),
      `https://my-resource.services.ai.azure.com${UNDATED}`,
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

  it('is the path of chats where the entry has that of embeddings', () => {
    const endpointUrl = deployment().endpointUrl.replace('/chat/completions', '/embeddings');
    expect(urlOf(deployment({ endpointUrl }))).toBe(deployment().endpointUrl);
  });

  it('has a deployment’s name in one path segment, whatever the catalogue calls it', () => {
    const call = azureCall(null);
    const endpoint = { ...call.endpoint, upstreamModelId: 'a/b?c' };
    expect(azureUrl({ ...call, endpoint }, '2024-10-21').pathname).toBe(
      '/openai/deployments/a%2Fb%3Fc/chat/completions',
    );
  });
});

describe('F2: the version of a resource’s URLs', () => {
  const [undated, dated] = [UNDATED, DATED].map((path) => `https://my-resource.openai.azure.com${path}`);
  const VERSION = '2025-04-01-preview';

  it.each<[string, AzureEntry, string | undefined, string | undefined]>([
    ['is none where nobody names one', resource(), undefined, undated],
    ['is the one of the catalogue’s quirks', resource(), VERSION, dated],
    ['is none where the quirks say v1', resource(), 'v1', undated],
    ['is the entry’s own before that of the quirks', resource({ apiVersion: VERSION }), '2024-10-21', dated],
    ['is none where the entry says v1', resource({ apiVersion: 'v1' }), VERSION, undated],
  ])('%s', (_, credential, version, url) => {
    expect(urlOf(credential, null, null, version)).toBe(url);
  });
});

describe('base_url replaces scheme and host of every URL', () => {
  it.each<[string, AzureEntry, string]>([
    ['http://127.0.0.1:9', resource(), `http://127.0.0.1:9${UNDATED}`],
    ['http://127.0.0.1:9/', resource({ resourceType: 'catalog' }), `http://127.0.0.1:9${UNDATED}`],
    ['http://127.0.0.1:9', deployment(), `http://127.0.0.1:9${OWN}`],
    ['https://{resource}.openai.azure.us', resource(), `https://my-resource.openai.azure.us${UNDATED}`],
    ['https://{resource}.{region}.host', deployment(), `https://my-resource.eu.host${OWN}`],
    ['https://host/prefix/{resource}/', resource(), `https://host/prefix/my-resource${UNDATED}`],
  ])('%s', (baseUrl, credential, url) => {
    expect(urlOf(credential, baseUrl, 'eu')).toBe(url);
  });

  it('is an error while a placeholder has no value', () => {
    expect(() => urlOf(resource(), 'https://{region}.host')).toThrow('placeholder');
  });
});
