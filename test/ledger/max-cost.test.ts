import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PriceKey } from '../../src/catalog/types.js';
import { listPrice, type MaxUsage, type Metered, maxCostAt } from '../../src/ledger/pricing/price.js';
import { instants, pricings } from './arbitraries.js';

const CACHE_WRITES = ['none', 'short', 'hour'] as const;

const maxUsages: fc.Arbitrary<MaxUsage> = fc.record({
  promptTokens: fc.integer({ min: 0, max: 3_000 }),
  completionTokens: fc.integer({ min: 0, max: 3_000 }),
  images: fc.integer({ min: 0, max: 5 }),
  outputImages: fc.integer({ min: 0, max: 5 }),
  hasAudio: fc.boolean(),
  hasFiles: fc.boolean(),
  cacheWrites: fc.constantFrom(...CACHE_WRITES),
  webSearches: fc.integer({ min: 0, max: 5 }),
  searchUnits: fc.integer({ min: 0, max: 5 }),
});

/** Shares of the max usage; the specific counts may even exceed the general ones. */
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 17, maxLength: 17 });

function meteredWithin(maxUsage: MaxUsage, taken: readonly number[]): Metered {
  const part = (index: number, whole: number) => Math.floor(whole * (taken[index] ?? 0));
  const promptTokens = part(0, maxUsage.promptTokens);
  const completionTokens = part(1, maxUsage.completionTokens);
  const cachedTokens = part(2, promptTokens);
  const cacheWriteTokens = maxUsage.cacheWrites === 'none' ? 0 : part(3, promptTokens);
  const audioTokens = maxUsage.hasAudio || maxUsage.hasFiles ? part(4, promptTokens) : 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: maxUsage.cacheWrites === 'hour' ? part(5, cacheWriteTokens) : 0,
    audioTokens,
    cachedAudioTokens: part(6, Math.min(audioTokens, cachedTokens)),
    imageTokens: maxUsage.images > 0 || maxUsage.hasFiles ? part(7, promptTokens) : 0,
    reasoningTokens: part(8, completionTokens),
    completionAudioTokens: maxUsage.hasAudio ? part(9, completionTokens) : 0,
    images: part(10, maxUsage.images),
    webSearches: part(11, maxUsage.webSearches),
    outputImages: part(12, maxUsage.outputImages),
    imageOutputTokens: part(13, completionTokens),
    mediumSearches: part(14, maxUsage.webSearches),
    highSearches: part(15, maxUsage.webSearches),
    searchUnits: part(16, maxUsage.searchUnits),
  };
}

describe('the max cost', () => {
  it('is never below the cost of usage within the max usage, whatever the overrides', () => {
    fc.assert(
      fc.property(pricings, maxUsages, shares, instants, (pricing, maxUsage, taken, at) => {
        const { totalNanoUsd } = listPrice(pricing, meteredWithin(maxUsage, taken), at);
        expect(maxCostAt(pricing, maxUsage, at)).toBeGreaterThanOrEqual(totalNanoUsd);
      }),
      { numRuns: 1_000 },
    );
  });

  it('grows with the max usage', () => {
    fc.assert(
      fc.property(pricings, maxUsages, maxUsages, instants, (pricing, a, b, at) => {
        const larger: MaxUsage = {
          promptTokens: a.promptTokens + b.promptTokens,
          completionTokens: a.completionTokens + b.completionTokens,
          images: a.images + b.images,
          outputImages: a.outputImages + b.outputImages,
          hasAudio: a.hasAudio || b.hasAudio,
          hasFiles: a.hasFiles || b.hasFiles,
          cacheWrites:
            CACHE_WRITES.findLast((one) => one === a.cacheWrites || one === b.cacheWrites) ?? 'none',
          webSearches: a.webSearches + b.webSearches,
          searchUnits: a.searchUnits + b.searchUnits,
        };
        expect(maxCostAt(pricing, larger, at)).toBeGreaterThanOrEqual(maxCostAt(pricing, a, at));
      }),
    );
  });

  it('is not higher than necessary: the general price when no kind of token has a price of its own', () => {
    const pricing = { prices: { prompt: '0.000001', completion: '0.000002' }, discount: 0.5, overrides: [] };
    const maxUsage: MaxUsage = {
      cacheWrites: 'hour',
      promptTokens: 10,
      completionTokens: 4,
      images: 3,
      outputImages: 2,
      webSearches: 2,
      searchUnits: 0,
      hasAudio: true,
      hasFiles: true,
    };
    expect(maxCostAt(pricing, maxUsage, 0)).toBe(9_000n);
  });
});

describe('the max cost counts the dearest kind of tokens that the request can have, and no other', () => {
  const USD = 10n ** 9n;
  const nothing: MaxUsage = {
    promptTokens: 1,
    completionTokens: 1,
    images: 0,
    outputImages: 0,
    hasAudio: false,
    hasFiles: false,
    cacheWrites: 'hour',
    webSearches: 0,
    searchUnits: 0,
  };
  const overrides = [
    { prices: { prompt: '90' }, minPromptTokens: null, utcStart: 1200, utcEnd: 1300, utcDays: null },
  ];
  const costOf = (dear: PriceKey, maxUsage: Partial<MaxUsage>) => {
    const prices = { prompt: '1', completion: '1', [dear]: '5' };
    return maxCostAt({ prices, discount: null, overrides }, { ...nothing, ...maxUsage }, 0) / USD;
  };

  it.each<[PriceKey, Partial<MaxUsage>, bigint]>([
    ['input_cache_write', {}, 6n],
    ['internal_reasoning', {}, 6n],
    ['image_output_token', {}, 6n],
    ['web_search_high', { webSearches: 2 }, 12n],
    ['web_search_medium', {}, 2n],
    ['image_token', {}, 2n],
    ['image_token', { images: 1 }, 6n],
    ['image_token', { hasFiles: true }, 6n],
    ['audio', {}, 2n],
    ['audio', { hasAudio: true }, 6n],
    ['audio', { hasFiles: true }, 6n],
    ['audio_output', { hasFiles: true }, 2n],
    ['audio_output', { hasAudio: true }, 6n],
  ])('%s with %j', (dear, maxUsage, expected) => {
    expect(costOf(dear, maxUsage)).toBe(expected);
  });
});
