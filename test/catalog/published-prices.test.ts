import { expect, it } from 'vitest';
import { withModePrices, withPublishedPrices } from '../../src/catalog/prices/published.js';
import type { Pricing } from '../../src/catalog/types.js';
import { AS_BATCH, type BilledMode, ratesUnder } from '../../src/ledger/pricing/rates.js';

const CLAUDE: Pricing = {
  prices: { prompt: '0.000003', completion: '0.000015', input_cache_write: '0.00000375' },
  discount: null,
  overrides: [
    {
      prices: { prompt: '0.000006', completion: '0.0000225', input_cache_write: '0.0000075' },
      minPromptTokens: 200_000,
      utcStart: null,
      utcEnd: null,
      utcDays: null,
    },
  ],
};

it('a write to a cache of Claude for an hour costs twice the input, in overrides too, and a search of Anthropic 0.01 USD', () => {
  const { prices, overrides } = withPublishedPrices('anthropic/claude-sonnet-4.5', 'anthropic', CLAUDE);
  expect(prices).toEqual({ ...CLAUDE.prices, input_cache_write_1h: '0.000006', web_search: '0.01' });
  expect(overrides[0]?.prices.input_cache_write_1h).toBe('0.000012');
});

it('at Bedrock searches have no price, and at resellers nothing is filled in', () => {
  const bedrock = withPublishedPrices('anthropic/claude-sonnet-4.5', 'amazon-bedrock', CLAUDE);
  expect(bedrock.prices).toEqual({ ...CLAUDE.prices, input_cache_write_1h: '0.000006' });
  expect(withPublishedPrices('anthropic/claude-sonnet-4.5', 'aihubmix', CLAUDE)).toBe(CLAUDE);
  expect(withPublishedPrices('openai/gpt-x', 'anthropic', CLAUDE)).toBe(CLAUDE);
});

it('what is priced already stays, and without a price of writes there is none for an hour', () => {
  const priced = { ...CLAUDE, prices: { ...CLAUDE.prices, input_cache_write_1h: '0.1', web_search: '0.2' } };
  expect(withPublishedPrices('anthropic/claude-x', 'anthropic', priced).prices).toEqual(priced.prices);
  const bare = { prices: { prompt: '1', completion: '1' }, discount: null, overrides: [] };
  expect(withPublishedPrices('anthropic/claude-x', 'azure', bare).prices).toEqual(bare.prices);
});

it.each(['openai/gpt-5.6-sol', 'openai/gpt-5.10', 'openai/gpt-6'])(
  'a write to a cache of %s costs 1.25 times the prompt, in overrides too, unless it is priced',
  (model) => {
    const { input_cache_write: _, ...listed } = CLAUDE.prices;
    const overrides = CLAUDE.overrides.map((one) => ({
      ...one,
      prices: { prompt: '0.000006', completion: '0.00003' },
    }));
    const priced = withPublishedPrices(model, 'azure', { ...CLAUDE, prices: listed, overrides });
    expect(priced.prices).toEqual(CLAUDE.prices);
    expect(priced.overrides[0]?.prices).toEqual({
      prompt: '0.000006',
      completion: '0.00003',
      input_cache_write: '0.0000075',
    });
    const own = { ...CLAUDE, prices: { ...CLAUDE.prices, input_cache_write: '0.000003' } };
    expect(withPublishedPrices(model, 'openai', own).prices).toEqual(own.prices);
    expect(withPublishedPrices(model, 'aihubmix', own)).toBe(own);
  },
);

it.each(['openai/gpt-5.5', 'openai/gpt-5', 'openai/gpt-4.1', 'openai/gpt-35-turbo', 'openai/gpt-oss-120b'])(
  'a write to a cache of %s costs what the prompt does',
  (model) => expect(withPublishedPrices(model, 'openai', bare())).toEqual(bare()),
);

const bare = (prices: Partial<Pricing['prices']> = {}): Pricing => ({
  prices: { prompt: '1', completion: '1', ...prices },
  discount: null,
  overrides: [],
});

it.each([
  ['openai/gpt-4o-search-preview', 'openai', { web_search: '0.025' }],
  ['openai/gpt-4o-mini-search-preview', 'openai', { web_search: '0.025' }],
  ['openai/gpt-5-search-api', 'openai', { web_search: '0.01' }],
  ['google/gemini-2.5-pro', 'google-vertex', { web_search: '0.035' }],
  ['google/gemini-3.5-flash', 'google-vertex', { web_search: '0.014' }],
  ['anthropic/claude-sonnet-4.6', 'google-vertex', { web_search: '0.01' }],
  ['openai/o3-deep-research', 'openai', { web_search: '0.01' }],
  ['openai/o4-mini-deep-research', 'azure', { web_search: '0.01' }],
  ['x-ai/grok-4.3', 'xai', { web_search: '0.005' }],
  [
    'perplexity/sonar',
    'perplexity',
    { web_search: '0.005', web_search_medium: '0.008', web_search_high: '0.012' },
  ],
  [
    'perplexity/sonar-reasoning-pro',
    'perplexity',
    { web_search: '0.006', web_search_medium: '0.01', web_search_high: '0.014' },
  ],
  ['perplexity/sonar-deep-research', 'perplexity', { web_search: '0.005' }],
])('searches of %s at %s cost what its maker publishes', (id, provider, searches) => {
  expect(withPublishedPrices(id, provider, bare()).prices).toEqual({ ...bare().prices, ...searches });
  const priced = bare({ web_search: '9', web_search_medium: '9', web_search_high: '9' });
  expect(withPublishedPrices(id, provider, priced).prices).toEqual(priced.prices);
});

it.each([
  ['google/gemini-2.5-pro', 'aihubmix'],
  // Its searches are not told there.
  ['google/gemini-2.5-pro', 'google-ai-studio'],
  ['google/gemini-flash-latest', 'google-vertex'],
  ['openai/gpt-4o', 'openai'],
  ['perplexity/sonar', 'novita'],
])('nothing is filled in for %s at %s', (id, provider) => {
  expect(withPublishedPrices(id, provider, bare())).toEqual(bare());
});

it.each([
  ['google/gemini-2.5-flash-image', 'google-ai-studio', '0.0000025', '0.00003'],
  ['google/gemini-2.5-flash-image', 'google-vertex', '0.0000025', '0.00003'],
  ['google/gemini-3-pro-image-preview', 'google-ai-studio', '0.000012', '0.00012'],
  ['google/gemini-3.1-flash-image-preview', 'google-ai-studio', '0.000003', '0.00006'],
  ['google/gemini-3.1-flash-lite-image', 'google-ai-studio', '0.0000015', '0.00003'],
  ['openai/gpt-image-1.5', 'azure', '0.00001', '0.000032'],
])(
  'text of %s at %s costs %s, and its images %s, whichever of them a list has',
  (id, provider, text, image) => {
    const filled = (prices: Partial<Pricing['prices']>) =>
      withPublishedPrices(id, provider, bare(prices)).prices;
    const both = { completion: text, image_output_token: image };
    expect(filled({ completion: image })).toMatchObject(both);
    expect(filled({ completion: text })).toMatchObject(both);
    const own = { completion: '0.5', image_output_token: '0.7' };
    expect(filled(own)).toMatchObject(own);
  },
);

it('modes with a published rule are priced at their makers, unless the list has a price of them', () => {
  const modes = (modelId: string, provider: string) =>
    withModePrices(modelId, provider, [], bare()).map(({ words, multiplier }) => [words, multiplier]);
  const [fast, us] = [
    [{ speed: 'fast' }, '2'],
    [{ inference_geo: 'us' }, '1.1'],
  ];
  expect(modes('anthropic/claude-opus-4.8', 'anthropic')).toEqual([fast, us]);
  expect(modes('anthropic/claude-opus-5.5', 'anthropic')).toEqual([fast, us]);
  for (const id of ['anthropic/claude-opus-4.7', 'anthropic/claude-sonnet-4.6', 'anthropic/claude-fable-5']) {
    expect(modes(id, 'anthropic')).toEqual([us]);
  }
  for (const id of ['anthropic/claude-opus-4.5', 'anthropic/claude-haiku-4.5', 'anthropic/claude-3-opus']) {
    expect(modes(id, 'anthropic')).toEqual([]);
  }
  expect(modes('anthropic/claude-opus-4.8', 'google-vertex')).toEqual([
    [{ inference_geo: 'regional' }, '1.1'],
    [{}, '0.5'],
  ]);
  const flex = [{ service_tier: 'flex' }, '0.5'];
  const priority = (multiplier: string | null) => [{ service_tier: 'priority' }, multiplier];
  expect(modes('openai/gpt-5', 'openai')).toEqual([flex, priority('2')]);
  expect(modes('openai/gpt-5', 'azure')).toEqual([priority('2')]);
  expect(modes('openai/gpt-5.5', 'openai')).toEqual([flex, priority('2.5')]);
  expect(modes('openai/gpt-5.4-nano', 'openai')).toEqual([flex]);
  expect(modes('openai/o3', 'openai')).toEqual([flex, priority('1.75')]);
  expect(modes('openai/o4-mini', 'openai')).toEqual([flex, priority(null)]);
  expect(modes('openai/gpt-4.1', 'azure')).toEqual([priority('1.75')]);
  expect(modes('openai/gpt-oss-120b', 'amazon-bedrock')).toEqual([flex, priority('1.75')]);
  expect(modes('anthropic/claude-opus-4.8', 'amazon-bedrock')).toEqual([]);
  expect(modes('x-ai/grok-4.3', 'xai')).toEqual([priority('2')]);
  expect(modes('openai/gpt-oss-120b', 'fireworks')).toEqual([priority('1.2')]);
  expect(modes('google/gemini-3.5-flash', 'google-ai-studio')).toEqual([priority('1.8'), flex]);
  for (const id of ['openai/gpt-5.2-chat', 'openai/gpt-4', 'openai/o3-mini', 'openai/gpt-5-codex']) {
    expect(modes(id, 'openai')).toEqual([]);
  }
  expect(modes('openai/gpt-oss-120b', 'groq')).toEqual([[{ service_tier: 'flex' }, null]]);
  const listed = [
    {
      words: { speed: 'fast' },
      isBatch: false,
      minPromptTokens: null,
      multiplier: null,
      prices: { prompt: '0.00001' },
    },
  ];
  expect(
    withModePrices('anthropic/claude-opus-4.8', 'anthropic', listed, bare()).map(
      ({ multiplier }) => multiplier,
    ),
  ).toEqual([null, '1.1']);
});

it('cached tokens of Gemini cost under flex and in batches what they cost, in long prompts too', () => {
  const pricing: Pricing = {
    prices: { prompt: '1', completion: '8', input_cache_read: '0.1' },
    discount: null,
    overrides: [
      {
        prices: { prompt: '2', completion: '16', input_cache_read: '0.2' },
        minPromptTokens: 200_000,
        utcStart: null,
        utcEnd: null,
        utcDays: null,
      },
    ],
  };
  const modes = withModePrices('google/gemini-2.5-pro', 'google-vertex', [], pricing);
  const priced = (mode: BilledMode, promptTokens: number) => {
    const { units, unitsPerNanoUsd } = ratesUnder({ ...pricing, modes }, { ...mode, promptTokens, at: 0 });
    return [units.prompt, units.input_cache_read].map((rate) => Number(rate) / Number(unitsPerNanoUsd) / 1e9);
  };
  const flex = { mode: { service_tier: 'flex' }, isBatch: false };
  expect(priced(flex, 1_000)).toEqual([0.5, 0.1]);
  expect(priced(flex, 300_000)).toEqual([1, 0.2]);
  expect(priced(AS_BATCH, 1_000)).toEqual([0.5, 0.1]);
  expect(priced(AS_BATCH, 300_000)).toEqual([1, 0.2]);
});

it('prices of lists that are known to be wrong are corrected, and such that were corrected there stay', () => {
  const read = (provider: string, listed: string) =>
    withPublishedPrices('openai/gpt-5.2', provider, bare({ input_cache_read: listed })).prices
      .input_cache_read;
  expect(read('azure', '0.000000125')).toBe('0.000000175');
  expect(read('azure', '0.0000002')).toBe('0.0000002');
  expect(read('openai', '0.000000125')).toBe('0.000000125');
  const free = withPublishedPrices('openai/gpt-3.5-turbo', 'openai', bare({ input_cache_read: '0' })).prices;
  expect(free).toEqual(bare().prices);
});

it('no length of a prompt makes Claude dearer since 4.6', () => {
  expect(withPublishedPrices('anthropic/claude-opus-4.6', 'azure', CLAUDE).overrides).toEqual([]);
  expect(withPublishedPrices('anthropic/claude-sonnet-4.5', 'azure', CLAUDE).overrides).toHaveLength(1);
  expect(withPublishedPrices('anthropic/claude-opus-4.6', 'novita', CLAUDE)).toBe(CLAUDE);
});
