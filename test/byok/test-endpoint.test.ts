import { describe, expect, it } from 'vitest';
import type { BedrockCredential } from '../../src/byok/kinds/amazon-bedrock.js';
import { endpointToTest } from '../../src/byok/trial/test-endpoint.js';
import { endpoint, model, pricing } from '../routing/contexts.js';

const bedrock = (region: string): BedrockCredential => ({
  adapter: 'amazon-bedrock',
  kind: 'access_key',
  accessKeyId: 'AKIA',
  secretAccessKey: 's',
  region,
});

describe('the endpoint that a key is tested with', () => {
  const profile = (area: string, price: string) =>
    endpoint('b', { upstreamModelId: `${area}.meta.llama`, region: area, pricing: pricing(price) });
  const catalog = (...endpoints: ReturnType<typeof endpoint>[]) => ({
    models: [model(endpoints)],
    resolveId: (name: string) => name,
  });
  const key = { provider: 'b', allowedModels: null };

  it('is one that can be called from its region, cheaper or not', () => {
    const both = catalog(profile('us', '0.1'), profile('eu', '0.2'));
    expect(endpointToTest(both, key, bedrock('eu-west-1'))?.region).toBe('eu');
    expect(endpointToTest(both, key, bedrock('us-west-2'))?.region).toBe('us');
    expect(endpointToTest(both, key, bedrock('ap-south-1'))).toBeUndefined();
  });

  it('is one that completes texts where nothing else takes chats, and none that does neither', () => {
    const credential = { adapter: 'openai', apiKey: 'k' } as const;
    const speaking = (format: 'completions' | 'embeddings') =>
      endpointToTest(catalog(endpoint('b', { formats: [format] })), key, credential)?.formats;
    expect([speaking('completions'), speaking('embeddings')]).toEqual([['completions'], undefined]);
  });

  it('is any for a credential of another kind', () => {
    const credential = { adapter: 'openai', apiKey: 'k' } as const;
    expect(endpointToTest(catalog(profile('us', '0.1')), key, credential)).toBeDefined();
  });
});
