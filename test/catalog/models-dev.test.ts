import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { readCatalog } from '../../src/catalog/importing/import.js';
import type { EndpointInput, ModelInput } from '../../src/catalog/input/catalog-file.js';
import { CatalogViolations } from '../../src/catalog/input/violation-list.js';
import { fixture, readChecked, violationsOf } from './catalog.fixture.js';

const TEXT = fixture('models-dev.json');
const { file, skipped } = readCatalog(TEXT, new CatalogViolations());

function model(id: string): ModelInput {
  const found = file.models.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no model ${id} among ${file.models.map((one) => one.id)}`);
  return found;
}

function endpoint(id: string, upstreamModelId: string, provider?: string): EndpointInput {
  const found = model(id).endpoints.find(
    (one) => one.upstreamModelId === upstreamModelId && (provider === undefined || one.provider === provider),
  );
  if (found === undefined) throw new Error(`no endpoint ${upstreamModelId} of ${id}`);
  return found;
}

describe('models.dev import joins the endpoints of one model', () => {
  it('across ids, providers and regions', () => {
    const endpoints = model('anthropic/claude-opus-4.8').endpoints;
    expect(endpoints.map((one) => [one.provider, one.upstreamModelId, one.region])).toEqual([
      ['amazon-bedrock', 'eu.anthropic.claude-opus-4-8', 'eu'],
      ['amazon-bedrock', 'global.anthropic.claude-opus-4-8', 'global'],
      ['anthropic', 'claude-opus-4-8', null],
      ['azure', 'claude-opus-4-8', null],
      ['google-vertex', 'claude-opus-4-8@default', null],
    ]);
  });

  it('keeps dated names separate, except for those known to be one model', () => {
    const ids = file.models.map((one) => one.id);
    expect(ids).toContain('anthropic/claude-3.5-sonnet');
    expect(ids).toContain('anthropic/claude-3.5-sonnet-20240620');
    expect(model('anthropic/claude-opus-4.5').endpoints.map((one) => one.upstreamModelId)).toEqual([
      'claude-opus-4-5',
    ]);
  });

  it('never joins a free offer with the paid model', () => {
    expect(model('z-ai/glm-5.1:free').endpoints[0]?.pricing?.prices.prompt).toBe('0');
  });

  it('gives ids that do not depend on the rest of the file', () => {
    const whole = JSON.parse(TEXT);
    for (const [devId, provider] of Object.entries(whole)) {
      const alone = readChecked(JSON.stringify({ [devId]: provider }));
      for (const { id } of alone.models) expect(file.models.map((one) => one.id)).toContain(id);
    }
  });

  it('reads catalog.json as it reads api.json', () => {
    const catalogJson = JSON.stringify({ models: { 'openai/gpt-5.4': {} }, providers: JSON.parse(TEXT) });
    expect(readCatalog(catalogJson, new CatalogViolations())).toEqual({
      format: 'models.dev',
      file,
      skipped,
    });
  });
});

describe('models.dev import keeps the data of the source and adds none', () => {
  it('turns prices per million into exact prices per token, tiers into overrides in order', () => {
    const { pricing, quantization, status } = endpoint('qwen/qwen3-8b', 'qwen/qwen3-8b-fp8');
    expect(pricing?.prices).toEqual({
      prompt: '0.00000001692',
      completion: '0.000000138',
      audio: '0.000003804',
      audio_output: '0.00001511',
      internal_reasoning: '0.0000004',
    });
    expect(pricing?.overrides.map((one) => [one.minPromptTokens, one.prices])).toEqual([
      [32000, { prompt: '0.00000002536', completion: '0.00000076', audio: '0.000001902' }],
      [128000, { prompt: '0.00000005072', completion: '0.00000152' }],
    ]);
    expect([quantization, status]).toEqual(['fp8', 'active']);
  });

  it('reads tiers from `tiers`, never from the legacy member', () => {
    const { pricing } = endpoint('qwen/qwen3-8b', 'qwen/qwen3-8b-fp8');
    expect(pricing?.overrides.map((one) => one.minPromptTokens)).toEqual([32_000, 128_000]);
  });

  it('leaves out endpoints without a price, an adapter or a supported protocol, and counts them', () => {
    expect(skipped).toEqual({ no_price: 1, no_adapter: 1, other_protocol: 1, duplicate: 2 });
    expect(file.models.map((one) => one.id)).not.toContain('openai/gpt-image-1');
    expect(file.providers.map((one) => one.slug)).toEqual([
      'aihubmix',
      'amazon-bedrock',
      'anthropic',
      'azure',
      'google-vertex',
      'novita',
      'openai',
    ]);
  });

  it('takes dates, limits, modalities and states', () => {
    const opus = model('anthropic/claude-opus-4.8');
    expect(opus.created).toBe(Date.UTC(2026, 4, 28) / 1000);
    expect(opus.architecture).toMatchObject({
      modality: 'text+image+file->text',
      inputModalities: ['text', 'image', 'file'],
      tokenizer: 'Claude',
    });
    expect(model('openai/gpt-5.4').knowledgeCutoff).toBe('2025-08-01');
    expect(model('anthropic/claude-3.5-sonnet').knowledgeCutoff).toBe('2024-04-01');
    expect(model('anthropic/claude-3.5-sonnet-20240620').knowledgeCutoff).toBeNull();
    expect(model('anthropic/claude-3.5-sonnet').endpoints[0]?.status).toBe('degraded');
    expect(model('z-ai/glm-5.1:free').endpoints[0]?.maxCompletionTokens).toBeNull();
    expect(model('openai/text-embedding-3-small').architecture?.outputModalities).toEqual(['embeddings']);
    expect(model('openai/text-embedding-3-small').endpoints[0]?.maxCompletionTokens).toBeNull();
    expect(endpoint('anthropic/claude-opus-4.8', 'claude-opus-4-8', 'azure').contextLength).toBe(200000);
  });

  it("takes embeddings of OpenAI's alone at Azure, whose operation refuses those of others", () => {
    const listed = JSON.parse(TEXT);
    const small = listed.openai.models['text-embedding-3-small'];
    const atAzure = (id: string) => {
      const azure = { ...listed.azure, models: { [id]: { ...small, id } } };
      return readCatalog(JSON.stringify({ azure }), new CatalogViolations());
    };
    const cohere = atAzure('cohere-embed-v3-english');
    expect([cohere.file.models, cohere.skipped]).toEqual([[], { no_format: 1 }]);
    expect(atAzure('text-embedding-3-large').file.models).toHaveLength(1);
  });

  it('derives reasoning from the options', () => {
    expect(model('openai/gpt-5.4').reasoning).toMatchObject({
      mandatory: false,
      supportedEfforts: ['xhigh', 'high', 'medium', 'low', 'none'],
      supportsMaxTokens: false,
    });
    expect(model('qwen/qwen3-8b').reasoning).toMatchObject({
      supportedEfforts: null,
      supportsMaxTokens: true,
    });
    expect(model('anthropic/claude-opus-4.5').reasoning).toMatchObject({
      mandatory: false,
      supportedEfforts: undefined,
    });
    expect(model('openai/text-embedding-3-small').reasoning).toBeNull();
  });

  it('has only parameters that the model or its protocol is known to take', () => {
    expect(model('openai/gpt-5.4').supportedParameters).toEqual([
      'max_tokens',
      'max_completion_tokens',
      'response_format',
      'structured_outputs',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'include_reasoning',
      'reasoning',
      'reasoning_effort',
    ]);
    expect(model('openai/text-embedding-3-small').supportedParameters).toEqual([]);
    expect(endpoint('anthropic/claude-opus-4.8', 'claude-opus-4-8', 'azure').supportedParameters).toContain(
      'top_k',
    );
  });

  it('has no data policies', () => {
    const catalog = createCatalog(file, 1);
    for (const one of catalog.models.flatMap((each) => each.endpoints)) {
      expect(one.dataPolicy).toEqual({ zdr: false, dataCollection: true });
    }
  });

  it('takes the modes that a request asks for by their words, with the write for an hour', () => {
    const listed = JSON.parse(TEXT);
    const cost = { input: 10, output: 50, cache_read: 1, cache_write: 12.5 };
    const inMode = (body: unknown, price: unknown = cost) => ({ cost: price, provider: { body } });
    listed.anthropic.models['claude-opus-4-8'].experimental = {
      modes: { fast: inMode({ speed: 'fast' }), paid: inMode({ service_tier: 'priority' }) },
    };
    listed.openai.models['gpt-5.4'].experimental = {
      modes: {
        fast: inMode({ service_tier: 'Priority' }, { input: 5, output: 30, cache_read: 0.5 }),
        // None of these tells what is billed.
        usual: inMode({ service_tier: 'default' }),
        other: inMode({ thinking: true, service_tier: 'flex' }),
        number: inMode({ service_tier: 1 }),
        long: inMode({ service_tier: 'x'.repeat(65) }),
        negative: inMode({ service_tier: 'flex' }, { input: -1, output: 1 }),
        priceless: { provider: { body: { service_tier: 'flex' } } },
        bodyless: { cost },
        nothing: null,
      },
    };
    listed.openai.models['text-embedding-3-small'].experimental = true;
    const { models } = readChecked(JSON.stringify(listed));
    const modesOf = (provider: string) =>
      models
        .flatMap(({ endpoints }) => endpoints)
        .flatMap((one) => (one.provider === provider && one.priceModes) || [])
        .map(({ words, multiplier, prices }) => ({ ...words, ...(multiplier && { multiplier }), ...prices }));
    expect(modesOf('anthropic')).toEqual([
      {
        speed: 'fast',
        prompt: '0.00001',
        completion: '0.00005',
        input_cache_read: '0.000001',
        input_cache_write: '0.0000125',
        input_cache_write_1h: '0.00002',
      },
      { inference_geo: 'us', multiplier: '1.1' },
    ]);
    expect(modesOf('openai')).toEqual([
      { service_tier: 'priority', prompt: '0.000005', completion: '0.00003', input_cache_read: '0.0000005' },
      { service_tier: 'flex', multiplier: '0.5' },
    ]);
  });

  it('reports a violation with its path in the file', async () => {
    const broken = JSON.parse(TEXT);
    broken.openai.models['gpt-5.4'].cost.input = -1;
    broken.anthropic.models['claude-opus-4-8'].limit.context = 'many';
    expect(await violationsOf(() => readChecked(JSON.stringify(broken)))).toEqual([
      ['anthropic.models["claude-opus-4-8"].limit.context', 'type'],
      ['openai.models["gpt-5.4"].cost.input', 'price'],
    ]);
  });
});
