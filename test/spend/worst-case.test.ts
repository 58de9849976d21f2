import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPrice, type Metered } from '../../src/spend/price.js';
import { type Extent, worstPrice } from '../../src/spend/worst-case.js';
import { instants, pricings } from './arbitraries.js';

const extents: fc.Arbitrary<Extent> = fc.record({
  promptTokens: fc.integer({ min: 0, max: 3_000 }),
  completionTokens: fc.integer({ min: 0, max: 3_000 }),
  images: fc.integer({ min: 0, max: 5 }),
  outputImages: fc.integer({ min: 0, max: 5 }),
  hasAudio: fc.boolean(),
  hasFiles: fc.boolean(),
  webSearches: fc.integer({ min: 0, max: 5 }),
});

/** Counts from 0 to 1 of what the extent allows; parts may even come to more than their whole. */
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 13, maxLength: 13 });

function meteredWithin(extent: Extent, taken: readonly number[]): Metered {
  const part = (index: number, whole: number) => Math.floor(whole * (taken[index] ?? 0));
  const promptTokens = part(0, extent.promptTokens);
  const completionTokens = part(1, extent.completionTokens);
  const cachedTokens = part(2, promptTokens);
  const cacheWriteTokens = part(3, promptTokens);
  const audioTokens = extent.hasAudio || extent.hasFiles ? part(4, promptTokens) : 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: part(5, cacheWriteTokens),
    audioTokens,
    cachedAudioTokens: part(6, Math.min(audioTokens, cachedTokens)),
    imageTokens: extent.images > 0 || extent.hasFiles ? part(7, promptTokens) : 0,
    reasoningTokens: part(8, completionTokens),
    completionAudioTokens: extent.hasAudio ? part(9, completionTokens) : 0,
    images: part(10, extent.images),
    webSearches: part(11, extent.webSearches),
    outputImages: part(12, extent.outputImages),
  };
}

describe('the worst case (interface section 5)', () => {
  it('is never below what usage within the extent costs, whatever the overrides', () => {
    fc.assert(
      fc.property(pricings, extents, shares, instants, (pricing, extent, taken, at) => {
        const { totalNanoUsd } = listPrice(pricing, meteredWithin(extent, taken), at);
        expect(worstPrice(pricing, extent, at)).toBeGreaterThanOrEqual(totalNanoUsd);
      }),
      { numRuns: 1_000 },
    );
  });

  it('grows with the extent', () => {
    fc.assert(
      fc.property(pricings, extents, extents, instants, (pricing, a, b, at) => {
        const larger: Extent = {
          promptTokens: a.promptTokens + b.promptTokens,
          completionTokens: a.completionTokens + b.completionTokens,
          images: a.images + b.images,
          outputImages: a.outputImages + b.outputImages,
          hasAudio: a.hasAudio || b.hasAudio,
          hasFiles: a.hasFiles || b.hasFiles,
          webSearches: a.webSearches + b.webSearches,
        };
        expect(worstPrice(pricing, larger, at)).toBeGreaterThanOrEqual(worstPrice(pricing, a, at));
      }),
    );
  });

  it('is no more than what it must be: the plain price where no token has a price of its own', () => {
    const pricing = { prices: { prompt: '0.000001', completion: '0.000002' }, discount: 0.5, overrides: [] };
    const extent = {
      ...{ promptTokens: 10, completionTokens: 4, images: 3, outputImages: 2, webSearches: 2 },
      ...{ hasAudio: true, hasFiles: true },
    };
    expect(worstPrice(pricing, extent, 0)).toBe(9_000n);
  });
});
