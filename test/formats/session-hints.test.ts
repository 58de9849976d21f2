import { describe, expect, it } from 'vitest';
import type { AzureEntry } from '../../src/byok/kinds/azure.js';
import type { AdapterName } from '../../src/catalog/types.js';
import { hintAt } from '../../src/formats/session/host-hints.js';
import type { UpstreamCall } from '../../src/inference/ports/adapter.js';
import { chatRequest } from '../../src/providers/azure/chat/request.js';
import { fitForHost } from '../../src/providers/openai/chat/request.js';
import { DEMO, demoEndpoint } from '../support/chat.js';

function told(baseUrl: string | null, { slug = 'mine', adapter = 'openai', modelId = 'a/m' } = {}) {
  const provider = { ...DEMO, slug, adapter: adapter as AdapterName, baseUrl };
  return hintAt({ modelId }, provider, 'chat', () => 'token');
}

const KEY = { promptCacheKey: 'token' };
const header = (name: string) => ({ headers: { [name]: 'token' } });

describe('a host is told of the session by its address, whatever its provider is called', () => {
  it.each([
    ['https://api.openai.com/v1', KEY],
    [null, KEY],
    ['https://api.mistral.ai/v1', KEY],
    ['https://api.moonshot.cn/v1', KEY],
    ['https://api.deepinfra.com/v1/openai', KEY],
    ['https://api.fireworks.ai/inference/v1', header('x-session-affinity')],
    ['https://API.Cloudflare.com:443/client/v4/accounts/1/ai/v1', header('x-session-affinity')],
    ['https://api.x.ai/v1', header('x-grok-conv-id')],
    ['https://openrouter.ai/api/v1', header('x-session-id')],
    ['https://opencode.ai/zen/go/v1', header('x-opencode-session')],
    ['https://api.groq.com/openai/v1', undefined],
    ['https://api.cerebras.ai/v1', undefined],
    ['http://localhost:11434/v1', undefined],
    ['https://api.openai.com.evil.example/v1', undefined],
  ])('%s', (baseUrl, hint) => {
    expect(told(baseUrl)).toEqual(hint);
  });

  it('in the format of Messages too, where it is a header', () => {
    expect(told('https://api.fireworks.ai/inference/v1', { adapter: 'anthropic' })).toEqual(
      header('x-session-affinity'),
    );
    expect(told('https://api.anthropic.com/v1', { slug: 'anthropic', adapter: 'anthropic' })).toBeUndefined();
  });

  it.each(['openai/gpt-5.2', 'azure/gpt-4o', 'openai/o4-mini'])('at Azure of %s', (modelId) => {
    expect(told(null, { slug: 'azure', adapter: 'azure', modelId })).toEqual(KEY);
  });

  it.each(['deepseek/deepseek-v3.2', 'moonshotai/kimi-k2.5', 'openai/gpt-oss-120b', 'meta/llama-4'])(
    'at Azure not of %s, whose maker is another',
    (modelId) => {
      expect(told(null, { slug: 'azure', adapter: 'azure', modelId })).toBeUndefined();
    },
  );
});

function call<Credential>(credential: Credential, body: object = {}): UpstreamCall<Credential, 'chat'> {
  return {
    format: 'chat',
    tenancy: { accountId: 'a', isByok: true, mayWait: true },
    endpoint: { ...demoEndpoint('m'), modelId: 'openai/gpt-5.2', upstreamModelId: 'gpt-5.2' },
    provider: { ...DEMO, slug: 'azure', adapter: 'azure' },
    region: null,
    credential,
    signal: new AbortController().signal,
    onFirstByte() {},
    body: { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hi' }], ...body },
    reasoning: null,
    sessionHint: KEY,
  };
}

const RESOURCE = { kind: 'resource', apiKey: 'k', resourceName: 'r', resourceType: 'deployment' } as const;

describe('Azure', () => {
  const keyAt = (entry: AzureEntry, body?: object) =>
    chatRequest(call(entry, body), false).body.prompt_cache_key;

  it('is told on the path without a version', () => {
    expect(keyAt({ ...RESOURCE, apiVersion: null })).toBe('token');
  });

  it('is not told at a dated version, of which nobody says that it takes the member; the client’s own is sent', () => {
    const url = 'https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21';
    const deployment = {
      kind: 'deployment',
      apiKey: 'k',
      modelSlug: 'm',
      modelId: 'd',
      endpointUrl: url,
    } as const;
    for (const entry of [{ ...RESOURCE, apiVersion: '2024-10-21' }, deployment]) {
      expect(keyAt(entry)).toBeUndefined();
      expect(keyAt(entry, { prompt_cache_key: 'mine' })).toBe('mine');
    }
  });
});

it('a host whose operator says that it refuses the member is not told, and nobody is told of that', () => {
  const hinted = call({ apiKey: 'k' });
  const adapted: string[] = [];
  const contract = { refusedMembers: ['prompt_cache_key'] };
  const fitted = fitForHost({
    ...hinted,
    provider: { ...DEMO, slug: 'openai', adapter: 'openai' },
    endpoint: { ...hinted.endpoint, quirks: { contract } },
    onAdapted: (name) => adapted.push(name),
  });
  expect([fitted.call.sessionHint, adapted]).toEqual([undefined, []]);
});
