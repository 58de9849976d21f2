import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFree } from '../../src/catalog/price.js';
import type { PriceMode, Pricing } from '../../src/catalog/types.js';
import { listPrice, type Metered, maxCostAt } from '../../src/ledger/pricing/price.js';
import { AS_BATCH, AT_BASE, type BilledMode, ratesUnder } from '../../src/ledger/pricing/rates.js';
import { NO_TOKENS } from './no-tokens.js';
import { billFor } from './recompute/bill.js';
import { MODE_WORDS, randomMetered, randomModes, randomPricing } from './recompute/random-request.js';
import { SeededRandom } from './recompute/seeded-random.js';

const BASE: Pricing = {
  prices: { prompt: '0.000001', completion: '0.000002', request: '0.001', web_search: '0.01', image: '0.1' },
  discount: null,
  overrides: [],
};

function mode(fields: Partial<PriceMode>): PriceMode {
  return { words: {}, isBatch: false, minPromptTokens: null, multiplier: null, prices: {}, ...fields };
}

const tier = (service_tier: string, fields: Partial<PriceMode> = {}) =>
  mode({ words: { service_tier }, ...fields });

const inModes = (...modes: PriceMode[]): Pricing => ({ ...BASE, modes });

function served(words: PriceMode['words'], isBatch = false): BilledMode {
  return { mode: words, isBatch };
}

const USED: Metered = { ...NO_TOKENS, promptTokens: 1000, completionTokens: 100 };
const total = (pricing: Pricing, billed: BilledMode, metered: Partial<Metered> = {}) =>
  listPrice(pricing, { ...USED, ...metered }, 0, billed).totalNanoUsd;

/** Nano-USD of the usage at the base, and of what is billed by the piece. */
const TOKENS = 1_200_000n;
const FLAT = 1_000_000n;
const PRIORITY = served({ service_tier: 'priority' });

describe('prices in a mode', () => {
  it('are those of pricing for requests in no mode, and in a mode that no entry names', () => {
    const pricing = inModes(tier('priority', { multiplier: '2' }));
    expect(total(pricing, AT_BASE)).toBe(TOKENS + FLAT);
    expect(total(pricing, served({ service_tier: 'flex' }))).toBe(TOKENS + FLAT);
    expect(total(pricing, served({ speed: 'priority' }))).toBe(TOKENS + FLAT);
  });

  it('are multiplied for every price per token, and for nothing that is billed by the piece', () => {
    const pricing = inModes(tier('priority', { multiplier: '2' }));
    expect(total(pricing, PRIORITY)).toBe(2n * TOKENS + FLAT);
    expect(total(pricing, PRIORITY, { webSearches: 1, images: 1 })).toBe(2n * TOKENS + FLAT + 110_000_000n);
  });

  it('replace the prices of their names, and leave the others as they are', () => {
    const pricing = inModes(tier('priority', { prices: { completion: '0.000005' } }));
    expect(total(pricing, PRIORITY)).toBe(1_000_000n + 500_000n + FLAT);
  });

  it('of an entry without price and multiplier are those of the base, in that mode', () => {
    const pricing = inModes(tier('priority'));
    expect(total(pricing, PRIORITY)).toBe(TOKENS + FLAT);
    expect(ratesUnder(pricing, { ...PRIORITY, promptTokens: 1, at: 0 }).applied.priceMode).toBe(
      'service_tier:priority',
    );
  });

  it('apply in the order of the list: what replaces first, then what multiplies all, entry by entry', () => {
    const replaces = tier('priority', { prices: { prompt: '0.00001' } });
    const multiplies = mode({ words: { inference_geo: 'us' }, multiplier: '1.1' });
    const both = served({ service_tier: 'priority', inference_geo: 'us' });
    expect(total(inModes(replaces, multiplies), both)).toBe(11_000_000n + 220_000n + FLAT);
    expect(total(inModes(multiplies, replaces), both)).toBe(10_000_000n + 220_000n + FLAT);
    const atOnce = tier('priority', { prices: { prompt: '0.00001' }, multiplier: '2' });
    expect(total(inModes(atOnce), both)).toBe(20_000_000n + 400_000n + FLAT);
  });

  it('need all conditions of an entry', () => {
    const pricing = inModes(mode({ words: { service_tier: 'priority', speed: 'fast' }, multiplier: '2' }));
    expect(total(pricing, PRIORITY)).toBe(TOKENS + FLAT);
    expect(total(pricing, served({ service_tier: 'priority', speed: 'fast' }))).toBe(2n * TOKENS + FLAT);
  });

  it('for long prompts apply beyond min_prompt_tokens, not at it', () => {
    const pricing = inModes(tier('priority', { multiplier: '2', minPromptTokens: 1000 }));
    expect(total(pricing, PRIORITY)).toBe(TOKENS + FLAT);
    expect(total(pricing, PRIORITY, { promptTokens: 1001 })).toBe(2n * (TOKENS + 1000n) + FLAT);
  });

  it('of batches apply to batches alone, and those without batch to both', () => {
    const pricing = inModes(
      mode({ isBatch: true, multiplier: '0.5' }),
      tier('priority', { multiplier: '2' }),
    );
    expect(total(pricing, AS_BATCH)).toBe(TOKENS / 2n + FLAT);
    expect(total(pricing, AT_BASE)).toBe(TOKENS + FLAT);
    expect(total(pricing, served({ service_tier: 'priority' }, true))).toBe(TOKENS + FLAT);
  });

  it('come after overrides and before the discount', () => {
    const night = {
      prices: { prompt: '0.000004' },
      minPromptTokens: null,
      utcStart: 0,
      utcEnd: 100,
      utcDays: null,
    };
    const pricing = { ...inModes(tier('priority', { multiplier: '2' })), overrides: [night], discount: 0.5 };
    expect(total(pricing, PRIORITY)).toBe(4_000_000n + 200_000n + FLAT / 2n);
  });

  it('are exact, and rounded half up once', () => {
    const pricing: Pricing = {
      prices: { prompt: '0.0000000005', completion: '0' },
      discount: null,
      overrides: [],
      modes: [
        tier('a', { multiplier: '0.333333333333333333333333333333' }),
        tier('b', { multiplier: '0.5' }),
      ],
    };
    const cost = (word: string, promptTokens: number) =>
      total(pricing, served({ service_tier: word }), { promptTokens, completionTokens: 0 });
    expect(cost('a', 2)).toBe(0n);
    expect(cost('a', 3)).toBe(0n);
    expect(cost('a', 9)).toBe(1n);
    expect(cost('b', 2)).toBe(1n);
    expect(cost('b', 1)).toBe(0n);
  });

  it('are told with what was applied', () => {
    const pricing: Pricing = {
      ...inModes(
        tier('flex', { multiplier: '0.5' }),
        mode({ words: { inference_geo: 'us' }, multiplier: '1.1' }),
        tier('priority', { multiplier: '2' }),
      ),
      overrides: [
        { prices: {}, minPromptTokens: 5, utcStart: null, utcEnd: null, utcDays: null },
        { prices: {}, minPromptTokens: null, utcStart: null, utcEnd: null, utcDays: null },
      ],
      discount: 0.25,
    };
    const billed = served({ inference_geo: 'us', service_tier: 'priority' });
    expect(ratesUnder(pricing, { ...billed, promptTokens: 1, at: 0 }).applied).toEqual({
      overrides: [1],
      modes: [1, 2],
      priceMode: 'service_tier:priority+inference_geo:us',
      multiplier: { digits: 22n, scale: 1 },
      discount: 0.25,
    });
    expect(ratesUnder(pricing, { ...AT_BASE, promptTokens: 1, at: 0 }).applied.priceMode).toBeNull();
    const batch = inModes(mode({ isBatch: true }));
    expect(ratesUnder(batch, { ...AS_BATCH, promptTokens: 1, at: 0 }).applied.priceMode).toBe('batch:true');
  });

  it('make an endpoint cost something whose base is free', () => {
    const free = { prices: { prompt: '0', completion: '0' }, discount: null, overrides: [] };
    expect(isFree({ ...free, modes: [tier('flex', { multiplier: '2' })] })).toBe(true);
    expect(isFree({ ...free, modes: [tier('flex', { prices: { prompt: '0.1' } })] })).toBe(false);
  });
});

const WORDS = {
  service_tier: fc.constantFrom(undefined, ...MODE_WORDS.service_tier),
  speed: fc.constantFrom(undefined, ...MODE_WORDS.speed),
  inference_geo: fc.constantFrom(undefined, ...MODE_WORDS.inference_geo),
};

/** Requests in modes, with prices for some of them. */
const requests = fc
  .record({ seed: fc.nat(), words: fc.record(WORDS), isBatch: fc.boolean() })
  .map(({ seed, words: { service_tier, speed, inference_geo }, isBatch }) => {
    const random = new SeededRandom(seed);
    const metered = randomMetered(random);
    const at = Date.UTC(2026, 5, 1, 0, random.integer(0, 10_000));
    const pricing = randomPricing(random, at, metered.promptTokens, 1);
    const modes = randomModes(random, metered.promptTokens);
    const words = {
      ...(service_tier !== undefined && { service_tier }),
      ...(speed !== undefined && { speed }),
      ...(inference_geo !== undefined && { inference_geo }),
    };
    return { pricing: modes.length === 0 ? pricing : { ...pricing, modes }, metered, at, words, isBatch };
  });

describe('whatever the prices, modes and usage', () => {
  it('a charge in a mode is what an independent computation in fractions says', () => {
    fc.assert(
      fc.property(requests, ({ pricing, metered, at, words, isBatch }) => {
        expect(listPrice(pricing, metered, at, { mode: words, isBatch })).toEqual(
          billFor(pricing, metered, at, { words, isBatch }),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('the max cost in a mode covers every shorter request in it', () => {
    fc.assert(
      fc.property(requests, fc.double({ min: 0, max: 1, noNaN: true }), (request, share) => {
        const { pricing, metered, at, words, isBatch } = request;
        const shorter = Object.fromEntries(
          Object.entries(metered).map(([count, value]) => [count, Math.floor(value * share)]),
        );
        const most = {
          promptTokens: metered.promptTokens,
          completionTokens: metered.completionTokens,
          images: metered.images,
          outputImages: metered.outputImages,
          webSearches: metered.webSearches,
          searchUnits: metered.searchUnits,
          hasAudio: true,
          hasFiles: true,
          cacheWrites: 'hour' as const,
        };
        const billed = { mode: words, isBatch };
        const { totalNanoUsd } = listPrice(pricing, { ...metered, ...shorter }, at, billed);
        expect(maxCostAt(pricing, most, at, [AT_BASE, billed])).toBeGreaterThanOrEqual(totalNanoUsd);
      }),
      { numRuns: 1_000 },
    );
  });
});
