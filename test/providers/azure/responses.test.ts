import { describe, expect, it } from 'vitest';
import type { AzureEntry } from '../../../src/byok/kinds/azure.js';
import type { UpstreamCall } from '../../../src/inference/ports/adapter.js';
import { responsesTarget } from '../../../src/providers/azure/responses/request.js';
import { startFakeAzure } from '../../support/fakes/fake-azure.js';
import { azureCall, deployment, resource, startAzureAdapter } from './adapter.fixture.js';

const targetOf = (credential: AzureEntry, baseUrl: string | null = null) => {
  const { url, model } = responsesTarget(azureCall(baseUrl, { credential }));
  return [url.href, model];
};

const HOST = 'https://my-resource.openai.azure.com';

describe('where a Responses request goes', () => {
  it.each<[string, AzureEntry, string, string]>([
    ['a resource', resource(), `${HOST}/openai/v1/responses`, 'gpt-m'],
    [
      'a resource of the type catalog',
      resource({ resourceType: 'catalog' }),
      'https://my-resource.services.ai.azure.com/openai/v1/responses',
      'gpt-m',
    ],
    [
      'a dated version that has it',
      resource({ apiVersion: '2025-04-01-preview' }),
      `${HOST}/openai/responses?api-version=2025-04-01-preview`,
      'gpt-m',
    ],
    [
      'a dated version before',
      resource({ apiVersion: '2024-10-21' }),
      `${HOST}/openai/v1/responses`,
      'gpt-m',
    ],
    [
      'an entry with the URL of its chats',
      deployment({ modelId: 'gpt-x' }),
      `${HOST}/openai/v1/responses`,
      'prod',
    ],
    [
      'an entry with the URL of its responses',
      deployment({ endpointUrl: `${HOST}/openai/responses?api-version=preview`, modelId: 'gpt-x' }),
      `${HOST}/openai/responses?api-version=preview`,
      'gpt-x',
    ],
  ])('%s', (_, credential, url, model) => {
    expect(targetOf(credential)).toEqual([url, model]);
  });

  it('the provider’s base_url replaces scheme and host', () => {
    expect(targetOf(deployment(), 'https://host/a/')).toEqual(['https://host/a/openai/v1/responses', 'prod']);
  });
});

describe('a Responses request at Azure', () => {
  it('goes with the key of the resource, without what is for OpenAI alone, and is answered as it came', async () => {
    const fake = await startFakeAzure();
    const { reasoning: _, ...commons } = azureCall(fake.baseUrl);
    const body = { model: 'asked', input: 'Hi', client_metadata: { thread: '1' } };
    const call = { ...commons, format: 'responses', body } as UpstreamCall<AzureEntry, 'responses'>;
    const adapter = startAzureAdapter();
    expect(await adapter.complete(call)).toMatchObject({ native: { object: 'response', model: 'gpt-m' } });
    expect(fake.requests[0]?.body).toEqual({ model: 'gpt-m', input: 'Hi', store: false });
    expect(await adapter.countTokens?.(call)).toBeUndefined();
  });
});
