import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { listModels } from '../../src/catalog/assembled/listing.js';
import { unservableEndpoints } from '../../src/catalog/assembled/servable.js';
import { DEFAULT_CATALOG_FILE } from '../../src/catalog/default.js';
import {
  INPUT_MODALITIES,
  INSTRUCT_TYPES,
  MODEL_GROUPS,
  modalityOf,
  OUTPUT_MODALITIES,
  PARAMETERS,
  REASONING_EFFORTS,
} from '../../src/catalog/enums.js';
import { withGeographyPrices } from '../../src/catalog/prices/geographies.js';
import { withModePrices, withPublishedPrices } from '../../src/catalog/prices/published.js';
import { suspiciousPrices } from '../../src/catalog/prices/suspicious.js';
import { UNFILTERED } from '../../src/catalog/visibility.js';
import { embeddingModel as bedrockEmbeddings } from '../../src/providers/amazon-bedrock/embeddings/models.js';
import { embeddingModel as vertexEmbeddings } from '../../src/providers/google-vertex/embeddings/models.js';
import { defaultFile } from './catalog.fixture.js';

const file = defaultFile();
const catalog = createCatalog(file, 1);
const list = listModels(catalog, UNFILTERED);
const PRICE = /^\d+(\.\d*[1-9])?$/;

function providersOf(id: string): Set<string> {
  return new Set(catalog.resolve(id)?.model.endpoints.map((one) => one.provider));
}

describe('F3: the packaged catalogue routes only to endpoints that can answer', () => {
  it('each speaks a format that an operation here serves', () => {
    expect(unservableEndpoints(file)).toEqual([]);
  });

  it('models that only the Responses API serves are called by it at OpenAI and on Azure', () => {
    for (const id of ['openai/o3-pro', 'openai/gpt-5-pro', 'openai/gpt-5-codex', 'openai/o3-deep-research']) {
      const endpoints = catalog.resolve(id)?.model.endpoints ?? [];
      const own = endpoints.filter(({ provider }) => provider === 'openai' || provider === 'azure');
      expect([id, own.length > 0]).toEqual([id, true]);
      for (const { formats } of own) expect(formats).toEqual(['responses']);
    }
    expect(catalog.resolve('openai/gpt-5.5')?.model.endpoints[0]?.formats).toContain('chat');
  });

  it('embeddings and rerankings have a price, and each is of a model that its host is known to be asked for', () => {
    const found = catalog.models.flatMap(({ architecture, endpoints }) => {
      const [output] = architecture.outputModalities;
      const isRerank = output === 'rerank';
      return isRerank || output === 'embeddings' ? endpoints.map((one) => ({ ...one, isRerank })) : [];
    });
    const providers = new Set(found.map(({ provider }) => provider));
    for (const slug of ['openai', 'azure', 'google-vertex', 'amazon-bedrock', 'mistral', 'cohere'])
      expect(providers).toContain(slug);
    for (const one of found) {
      const { prompt, request = '0' } = one.pricing.prices;
      expect([one.upstreamModelId, Number(prompt) + Number(request)]).not.toEqual([one.upstreamModelId, 0]);
      if (one.isRerank) expect(one.formats).toEqual(['rerank']);
      else if (one.provider === 'amazon-bedrock') expect(bedrockEmbeddings(one)).toBeDefined();
      else if (one.provider === 'google-vertex') expect(vertexEmbeddings(one.upstreamModelId)).toBeDefined();
      else expect(one.formats).toEqual(['embeddings']);
    }
  });

  it('inference profiles come before the bare id at the same price', () => {
    const bare = catalog.models
      .flatMap((model) => model.endpoints)
      .filter(
        ({ provider, region, status }) =>
          provider === 'amazon-bedrock' && region === null && status === 'degraded',
      );
    expect(bare.map(({ modelId }) => modelId)).toContain('anthropic/claude-sonnet-4.6');
    expect(bare.map(({ modelId }) => modelId)).not.toContain('amazon/nova-pro');
  });
});

it('modes that makers have a rule for are priced, as an import of a list would', () => {
  const modes = (id: string) =>
    catalog
      .resolve(id)
      ?.model.endpoints.flatMap(({ provider, pricing }) =>
        (pricing.modes ?? []).map(({ words, multiplier }) => ({ provider, ...words, multiplier })),
      );
  expect(modes('anthropic/claude-opus-4.8')).toEqual([
    { provider: 'anthropic', speed: 'fast', multiplier: '2' },
    { provider: 'anthropic', inference_geo: 'us', multiplier: '1.1' },
    { provider: 'azure', inference_geo: 'us', multiplier: '1.1' },
    { provider: 'google-vertex', inference_geo: 'regional', multiplier: '1.1' },
    { provider: 'google-vertex', multiplier: '0.5' },
    { provider: 'google-vertex', inference_geo: 'regional', multiplier: '1.1' },
    { provider: 'google-vertex', multiplier: '0.5' },
  ]);
  expect(modes('openai/gpt-5.4')).toContainEqual({
    provider: 'openai',
    service_tier: 'flex',
    multiplier: '0.5',
  });
  expect(modes('openai/gpt-oss-120b')).toContainEqual({
    provider: 'groq',
    service_tier: 'flex',
    multiplier: null,
  });
  for (const model of file.models) {
    for (const { provider, priceModes = [], pricing } of model.endpoints) {
      if (pricing === null || provider === 'demo') continue;
      expect(withModePrices(model.id, provider, priceModes, pricing)).toEqual(priceModes);
      expect(priceModes).toEqual(withModePrices(model.id, provider, [], pricing));
      expect(withPublishedPrices(model.id, provider, pricing)).toEqual(pricing);
    }
    expect(withGeographyPrices(model)).toEqual(model);
  }
});

it('no price looks wrong that no note speaks of', () => {
  const findings = suspiciousPrices(file);
  expect(findings.filter(({ note }) => note === null)).toEqual([]);
  expect(findings.length).toBeGreaterThan(0);
});

it('Claude since Sonnet 4.5 costs 1.1 of the global price in every geography and region of Bedrock, caches too', () => {
  const placed = file.models
    .filter(({ id }) => /^anthropic\/claude-(?:[a-z]+-4\.[5-9]|[a-z]+-[5-9])/.test(id))
    .flatMap(({ endpoints }) => {
      const bedrock = endpoints.filter(({ provider }) => provider === 'amazon-bedrock');
      const anywhere = bedrock.find(({ region }) => region === 'global')?.pricing?.prices;
      return bedrock
        .filter(({ region }) => region !== 'global')
        .map(({ pricing }) => [pricing?.prices, anywhere]);
    });
  expect(placed.length).toBeGreaterThan(25);
  for (const [found, anywhere] of placed) {
    const tenths = Object.entries(anywhere ?? {}).map(([key, price]) => [key, perTrillion(price) * 11n]);
    expect(Object.entries(found ?? {}).map(([key, price]) => [key, perTrillion(price) * 10n])).toEqual(
      tenths,
    );
  }
});

/** Millionths of USD per million tokens. */
function perTrillion(price: string): bigint {
  return BigInt(Math.round(Number(price) * 1e12));
}

it('F1: models list both spellings of the limit of tokens', () => {
  const limited = list.filter(({ supportedParameters }) => supportedParameters.includes('max_tokens'));
  expect(limited.length).toBeGreaterThan(300);
  for (const { id, supportedParameters } of limited) {
    if (!id.startsWith('demo/')) expect(supportedParameters).toContain('max_completion_tokens');
  }
});

describe('the packaged catalogue', () => {
  it('has hundreds of real models, all of them listed, in a file of reasonable size', () => {
    expect(list.length).toBeGreaterThan(400);
    expect(list.map((model) => model.id)).toEqual(catalog.models.map((model) => model.id));
    expect(statSync(DEFAULT_CATALOG_FILE).size).toBeLessThan(1.5 * 1024 * 1024);
  });

  it('has every model and endpoint once', () => {
    const ids = catalog.models.map((model) => model.id);
    expect(new Set(ids).size).toBe(ids.length);
    const endpoints = catalog.models.flatMap((model) => model.endpoints.map((one) => one.id));
    expect(new Set(endpoints).size).toBe(endpoints.length);
    for (const id of ids) expect(id).toMatch(/^~?[a-z0-9-]+\/[a-z0-9][a-z0-9._:-]*$/);
  });

  it('has no model under two spellings', () => {
    const spellings = catalog.models.map((model) => model.id.replace(/[^a-z0-9+~:/]/g, ''));
    expect(spellings.filter((one, index) => spellings.indexOf(one) !== index)).toEqual([]);
  });

  it.each(list.map((model) => [model.id, model] as const))('%s is complete', (_, model) => {
    expect(model.name).not.toBe('');
    expect(model.canonicalSlug).not.toBe('');
    expect(Number.isSafeInteger(model.created) && model.created > 1.5e9 && model.created < 1.8e9).toBe(true);
    expect(model.contextLength === null || model.contextLength > 0).toBe(true);
    for (const price of Object.values(model.pricing.prices)) expect(price).toMatch(PRICE);
    for (const parameter of model.supportedParameters) expect(PARAMETERS).toContain(parameter);
    const { architecture, reasoning } = model;
    expect(architecture.modality).toBe(
      modalityOf(architecture.inputModalities, architecture.outputModalities),
    );
    expect(architecture.inputModalities.length).toBeGreaterThan(0);
    expect(architecture.outputModalities.length).toBeGreaterThan(0);
    for (const word of architecture.inputModalities) expect(INPUT_MODALITIES).toContain(word);
    for (const word of architecture.outputModalities) expect(OUTPUT_MODALITIES).toContain(word);
    expect([...MODEL_GROUPS, undefined]).toContain(architecture.tokenizer);
    expect([...INSTRUCT_TYPES, null, undefined]).toContain(architecture.instructType);
    const efforts = reasoning?.supportedEfforts ?? [];
    expect(REASONING_EFFORTS.filter((effort) => efforts.includes(effort))).toEqual(efforts);
    expect(model.topProvider.maxCompletionTokens === null || model.topProvider.maxCompletionTokens > 0).toBe(
      true,
    );
  });

  it('joins known models across providers', () => {
    expect(providersOf('anthropic/claude-opus-4.8')).toEqual(
      new Set(['amazon-bedrock', 'anthropic', 'azure', 'google-vertex']),
    );
    expect(providersOf('openai/gpt-5.4')).toEqual(new Set(['aihubmix', 'azure', 'openai']));
    expect(providersOf('deepseek/deepseek-v4-pro').size).toBeGreaterThanOrEqual(9);
    expect(providersOf('z-ai/glm-5.2')).toContain('chutes');
    expect(providersOf('openai/gpt-oss-120b').size).toBeGreaterThanOrEqual(10);
    expect(providersOf('meta-llama/llama-3.3-70b-instruct')).toContain('groq');
    expect(providersOf('anthropic/claude-sonnet-4.5')).toContain('amazon-bedrock');
    expect(catalog.resolve('anthropic/claude-3.5-sonnet-20240620')).toBeDefined();
  });

  it('has regional endpoints of Bedrock models', () => {
    const regions = catalog.resolve('anthropic/claude-opus-4.8')?.model.endpoints.map((one) => one.region);
    expect(new Set(regions)).toEqual(new Set([null, 'au', 'eu', 'global', 'jp', 'us']));
  });

  it('has exact prices', () => {
    const openai = catalog
      .resolve('openai/gpt-5.4')
      ?.model.endpoints.find((one) => one.provider === 'openai');
    expect(openai?.pricing).toMatchObject({
      prices: { prompt: '0.0000025', completion: '0.000015', input_cache_read: '0.00000025' },
      overrides: [{ minPromptTokens: 272000, prices: { prompt: '0.000005', completion: '0.0000225' } }],
    });
  });

  it('has aliases of well-known families', () => {
    const aliases = list.filter((model) => model.aliasTarget !== null);
    expect(aliases.length).toBeGreaterThanOrEqual(10);
    expect(catalog.resolve('~anthropic/claude-opus-latest')?.model.id).toBe('anthropic/claude-opus-4.8');
  });

  it('has a demo provider with the strictest data policy, and one model for each script', () => {
    const demo = file.models.filter((model) => model.id.startsWith('demo/'));
    const names = 'echo embed free reasoner rerank tools stall break content-filter reset';
    const failures = 'status-400 status-401 status-403 status-429 status-500 status-503';
    expect(demo.map((model) => model.id).sort()).toEqual(
      `${names} ${failures}`
        .split(' ')
        .map((name) => `demo/${name}`)
        .sort(),
    );
    for (const { id, endpoints } of demo) {
      expect(endpoints.map((one) => `${one.provider}/${one.upstreamModelId}`)).toEqual([id]);
    }
    for (const { id, endpoints } of catalog.models.filter((model) => model.id.startsWith('demo/'))) {
      expect(endpoints[0]?.dataPolicy).toEqual({ zdr: true, dataCollection: false });
      expect(endpoints[0]?.pricing.prices.prompt === '0').toBe(id === 'demo/free');
    }
  });

  it('has no data policy for other providers', () => {
    for (const provider of file.providers) {
      if (provider.slug !== 'demo') expect(provider.dataPolicy).toEqual({});
    }
  });
});
