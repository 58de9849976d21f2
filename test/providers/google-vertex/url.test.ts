import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../src/catalog/assembled/catalog.js';
import { anthropic } from '../../../src/providers/google-vertex/chat/anthropic.js';
import { gemini } from '../../../src/providers/google-vertex/chat/gemini/format.js';
import { openapi } from '../../../src/providers/google-vertex/chat/openapi.js';
import { PUBLISHERS } from '../../../src/providers/google-vertex/chat/publishers.js';
import { publishedModel } from '../../../src/providers/google-vertex/host/publisher.js';
import { resourceUrl, tokenUrl } from '../../../src/providers/google-vertex/host/url.js';
import { defaultFile } from '../../catalog/catalog.fixture.js';
import { serviceAccount } from '../../support/fakes/fake-vertex/account.js';
import { credentialOf, vertexProvider } from './adapter.fixture.js';

describe('the URL of a region', () => {
  it.each([
    [null, null, 'https://aiplatform.googleapis.com', 'global'],
    ['us-central1', null, 'https://us-central1-aiplatform.googleapis.com', 'us-central1'],
    ['eu', null, 'https://aiplatform.eu.rep.googleapis.com', 'eu'],
    ['us-east5', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000', 'us-east5'],
    [
      'us-east5',
      'https://{region}.proxy.example/google/',
      'https://us-east5.proxy.example/google',
      'us-east5',
    ],
    [null, 'https://{region}.proxy.example', 'https://global.proxy.example', 'global'],
  ])('%s at %s', (region, baseUrl, root, location) => {
    const url = resourceUrl(vertexProvider(baseUrl), 'p', region, { path: 'x:y', query: { alt: 'sse' } });
    expect(url.href).toBe(`${root}/v1/projects/p/locations/${location}/x:y?alt=sse`);
  });

  it('is an error while a placeholder has no value', () => {
    const provider = vertexProvider('https://{resource}.host');
    expect(() => resourceUrl(provider, 'p', null, { path: 'x' })).toThrow('placeholder');
  });
});

describe('the URL of the token service', () => {
  it.each([
    [null, 'https://oauth2.googleapis.com/token', 'https://oauth2.googleapis.com/token', false],
    ['http://127.0.0.1:8000', 'https://oauth2.googleapis.com/token', 'http://127.0.0.1:8000/token', true],
    ['http://127.0.0.1:8000', 'http://10.0.0.1/my-token', 'http://10.0.0.1/my-token', false],
  ])('with base_url %s and token_uri %s: %s', (baseUrl, tokenUri, href, isOperators) => {
    const address = tokenUrl(vertexProvider(baseUrl), credentialOf(serviceAccount(tokenUri)));
    expect({ href: address.url.href, isOperators: address.isOperators }).toEqual({ href, isOperators });
  });
});

describe('the publisher of a model', () => {
  it.each([
    ['gemini-2.5-pro', 'gemini-2.5-pro', gemini],
    ['google/gemini-2.5-pro', 'gemini-2.5-pro', gemini],
    ['publishers/google/models/gemini-2.5-pro', 'gemini-2.5-pro', gemini],
    ['publishers/google/models/learnlm', 'learnlm', gemini],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5@20250929', anthropic],
    ['publishers/anthropic/models/claude-opus-4-6@default', 'claude-opus-4-6@default', anthropic],
    ['anthropic/claude-opus-4-6', 'claude-opus-4-6', anthropic],
    ['meta/llama-4-maverick-17b-128e-instruct-maas', 'meta/llama-4-maverick-17b-128e-instruct-maas', openapi],
    ['publishers/meta/models/llama-4', 'meta/llama-4', openapi],
    ['google/gemma-3', 'google/gemma-3', openapi],
    ['someone/gemini-like', 'someone/gemini-like', openapi],
    ['mistral-large', 'mistral-large', openapi],
  ])('%s', (id, model, format) => {
    const published = publishedModel(id);
    expect([published.model, PUBLISHERS[published.publisher]]).toEqual([model, format]);
  });

  it('is known for every endpoint of the packaged catalogue', () => {
    const endpoints = createCatalog(defaultFile(), 1).models.flatMap((model) => model.endpoints);
    const own = endpoints.filter(({ provider }) => provider === 'google-vertex');
    expect(own.length).toBeGreaterThan(20);
    for (const { modelId, upstreamModelId } of own) {
      const author = modelId.split('/')[0];
      const expected = author === 'anthropic' ? anthropic : author === 'google' ? gemini : openapi;
      const { publisher } = publishedModel(upstreamModelId);
      expect([upstreamModelId, PUBLISHERS[publisher]]).toEqual([upstreamModelId, expected]);
    }
  });

  it('cannot escape from its path segment', () => {
    expect(gemini.resource('a/../b?c', false).path).toBe(
      'publishers/google/models/a%2F..%2Fb%3Fc:generateContent',
    );
    expect(anthropic.resource('claude-x@1', true).path).toBe(
      'publishers/anthropic/models/claude-x@1:streamRawPredict',
    );
  });
});
