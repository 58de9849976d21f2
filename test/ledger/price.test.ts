import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pricing, PricingOverride } from '../../src/catalog/types.js';
import { allCounts } from '../../src/ledger/pricing/counts.js';
import { listPrice, type Metered } from '../../src/ledger/pricing/price.js';
import { instants, pricings } from './arbitraries.js';
import { NO_TOKENS } from './no-tokens.js';

const MONDAY_NOON = Date.UTC(2026, 0, 5, 12, 0);

function pricing(prices: Partial<Pricing['prices']> = {}, rest: Partial<Pricing> = {}): Pricing {
  return {
    prices: { prompt: '0.000001', completion: '0.000002', ...prices },
    discount: null,
    overrides: [],
    ...rest,
  };
}

function override(fields: Partial<PricingOverride>): PricingOverride {
  return { prices: {}, minPromptTokens: null, utcStart: null, utcEnd: null, utcDays: null, ...fields };
}

const total = (price: Pricing, metered: Partial<Metered>, at = MONDAY_NOON) =>
  listPrice(price, { ...NO_TOKENS, ...metered }, at).totalNanoUsd;

describe('what is billed at what', () => {
  it('bills prompt and completion tokens at their prices, each shown separately', () => {
    expect(listPrice(pricing(), { ...NO_TOKENS, promptTokens: 10, completionTokens: 3 }, 0)).toEqual({
      totalNanoUsd: 16_000n,
      promptNanoUsd: 10_000n,
      completionNanoUsd: 6_000n,
    });
  });

  it.each([
    ['input_cache_read', { promptTokens: 10, cachedTokens: 4 }, 6_000n + 4n],
    ['input_cache_write', { promptTokens: 10, cacheWriteTokens: 4 }, 6_000n + 4n],
    ['input_cache_write_1h', { promptTokens: 10, cacheWriteTokens: 4, cacheWrite1hTokens: 3 }, 7_000n + 3n],
    ['audio', { promptTokens: 10, audioTokens: 4 }, 6_000n + 4n],
    [
      'input_audio_cache',
      { promptTokens: 10, cachedTokens: 4, audioTokens: 4, cachedAudioTokens: 4 },
      6_000n + 4n,
    ],
    ['image_token', { promptTokens: 10, imageTokens: 4 }, 6_000n + 4n],
    ['internal_reasoning', { completionTokens: 10, reasoningTokens: 4 }, 12_000n + 4n],
    ['audio_output', { completionTokens: 10, completionAudioTokens: 4 }, 12_000n + 4n],
    ['image_output_token', { completionTokens: 10, imageOutputTokens: 4 }, 12_000n + 4n],
    ['request', {}, 1n],
    ['image', { images: 3 }, 3n],
    ['image_output', { outputImages: 3 }, 3n],
    ['web_search', { webSearches: 3 }, 3n],
    ['web_search_medium', { webSearches: 3, mediumSearches: 2 }, 2n],
    ['web_search_high', { webSearches: 3, highSearches: 1 }, 1n],
  ] as const)('bills %s when it has a price of its own', (key, metered, expected) => {
    expect(total(pricing({ [key]: '0.000000001' }), metered)).toBe(expected);
  });

  it('bills kinds without a price of their own at the prompt and completion prices', () => {
    const kinds = { cachedTokens: 4, cacheWriteTokens: 2, audioTokens: 1, reasoningTokens: 1 };
    expect(total(pricing(), { promptTokens: 10, completionTokens: 3, ...kinds })).toBe(16_000n);
  });

  it('searches of a context size without a price of its own are billed as any, and none twice', () => {
    const searched = { webSearches: 3, mediumSearches: 2, highSearches: 9 };
    expect(total(pricing({ web_search: '0.000000010' }), searched)).toBe(30n);
    const sized = {
      web_search: '0.000000010',
      web_search_medium: '0.000000100',
      web_search_high: '0.000001',
    };
    expect(total(pricing(sized), { ...searched, highSearches: 1 })).toBe(1_000n + 200n);
    expect(total(pricing(sized), searched)).toBe(3_000n);
  });

  it('never bills more tokens than the prompt has', () => {
    expect(total(pricing({ input_cache_read: '0.000001' }), { promptTokens: 10, cachedTokens: 99 })).toBe(
      10_000n,
    );
  });

  it('discounts everything, and rounds half up once', () => {
    expect(total(pricing({ request: '0.01' }, { discount: 0.1 }), { promptTokens: 10 })).toBe(9_009_000n);
    expect(total(pricing({}, { discount: 1 }), { promptTokens: 10 })).toBe(0n);
    expect(total(pricing({ prompt: '0.0000000005' }), { promptTokens: 1 })).toBe(1n);
    expect(total(pricing({ prompt: '0.0000000004' }), { promptTokens: 1 })).toBe(0n);
    const halves = pricing({ prompt: '0.0000000005', completion: '0.0000000005' });
    expect(total(halves, { promptTokens: 1, completionTokens: 1 })).toBe(1n);
  });

  it('is exact, and free of floats, for any counts and prices', () => {
    const price = fc.integer({ min: 0, max: 1e9 });
    const count = fc.integer({ min: 0, max: 1e9 });
    fc.assert(
      fc.property(price, price, count, count, (prompt, completion, promptTokens, completionTokens) => {
        const text = (nano: number) => `0.${String(nano).padStart(9, '0')}`;
        const charged = total(pricing({ prompt: text(prompt % 1e9), completion: text(completion % 1e9) }), {
          promptTokens,
          completionTokens,
        });
        const expected =
          BigInt(prompt % 1e9) * BigInt(promptTokens) + BigInt(completion % 1e9) * BigInt(completionTokens);
        expect(charged).toBe(expected);
      }),
    );
  });
});

describe('cached rates', () => {
  it('make no difference: a request costs the same with a pricing that is not cached', () => {
    const counts = fc.record({ promptTokens: fc.nat(3_000), completionTokens: fc.nat(3_000) });
    fc.assert(
      fc.property(pricings, fc.array(fc.tuple(counts, instants), { minLength: 1 }), (known, requests) => {
        for (const [metered, at] of requests) {
          const fresh = structuredClone(known);
          expect(total(known, metered, at)).toBe(total(fresh, metered, at));
        }
      }),
    );
  });
});

describe('overrides', () => {
  const high = { prompt: '0.000005' };
  const priced = (fields: Partial<PricingOverride>) =>
    pricing({}, { overrides: [override({ prices: high, ...fields })] });
  const at = (day: number, hour: number, minute = 0) => Date.UTC(2026, 0, 5 + day, hour, minute);
  const isHigh = (price: Pricing, instant: number, promptTokens = 1) =>
    total(price, { promptTokens }, instant) === 5_000n * BigInt(promptTokens);

  it('apply to strictly more prompt tokens', () => {
    expect(isHigh(priced({ minPromptTokens: 200 }), MONDAY_NOON, 200)).toBe(false);
    expect(isHigh(priced({ minPromptTokens: 200 }), MONDAY_NOON, 201)).toBe(true);
  });

  it('apply in the half-open window, which may wrap past midnight', () => {
    const day = priced({ utcStart: 930, utcEnd: 1200 });
    expect(
      [at(0, 9, 29), at(0, 9, 30), at(0, 11, 59), at(0, 12)].map((instant) => isHigh(day, instant)),
    ).toEqual([false, true, true, false]);
    const night = priced({ utcStart: 2200, utcEnd: 600 });
    expect(
      [at(0, 21, 59), at(0, 22), at(1, 5, 59), at(1, 6)].map((instant) => isHigh(night, instant)),
    ).toEqual([false, true, true, false]);
  });

  it('apply on the listed days, evaluated at the request instant', () => {
    const weekend = priced({ utcDays: ['saturday', 'sunday'] });
    expect([4, 5, 6, 7].map((day) => isHigh(weekend, at(day, 12)))).toEqual([false, true, true, false]);
    const fridayNight = priced({ utcStart: 2200, utcEnd: 600, utcDays: ['friday'] });
    expect(isHigh(fridayNight, at(4, 23))).toBe(true);
    expect(isHigh(fridayNight, at(5, 1))).toBe(false);
  });

  it('apply only when all their conditions are met', () => {
    const both = priced({ minPromptTokens: 10, utcDays: ['monday'] });
    expect(isHigh(both, at(0, 12), 11)).toBe(true);
    expect(isHigh(both, at(1, 12), 11)).toBe(false);
    expect(isHigh(both, at(0, 12), 10)).toBe(false);
  });

  it('win per key by the later entry, and inherit what they leave out', () => {
    const layered = pricing(
      {},
      {
        overrides: [
          override({ prices: { prompt: '0.000005', completion: '0.000007' } }),
          override({ prices: { prompt: '0.000006' } }),
        ],
      },
    );
    expect(total(layered, { promptTokens: 1, completionTokens: 1 })).toBe(13_000n);
  });
});

describe('kinds of tokens within each other', () => {
  const price = pricing({
    prompt: '1',
    input_cache_read: '10',
    input_audio_cache: '100',
    input_cache_write: '1000',
    input_cache_write_1h: '10000',
    audio: '100000',
  });
  const USD = 10n ** 9n;

  it('are billed once each, the most specific first, and the rest as plain prompt', () => {
    const metered = {
      promptTokens: 50,
      cachedTokens: 5,
      cachedAudioTokens: 2,
      cacheWriteTokens: 7,
      cacheWrite1hTokens: 4,
      audioTokens: 8,
    };
    // Cached audio 2, other cached 3, written for an hour 4, otherwise 3, other audio 6; 32 remain.
    expect(total(price, metered)).toBe((32n + 30n + 200n + 3_000n + 40_000n + 600_000n) * USD);
  });

  it('that a provider counts inconsistently never bill less than nothing', () => {
    expect(total(price, { promptTokens: 10, cachedTokens: 1, cachedAudioTokens: 3 })).toBe((7n + 300n) * USD);
  });
});

describe('an override', () => {
  it('without a minimum applies to a prompt of no tokens too', () => {
    const dearer = pricing({}, { overrides: [override({ prices: { completion: '0.000003' } })] });
    expect(total(dearer, { completionTokens: 1 })).toBe(3_000n);
  });

  it('whose window starts where it ends never applies', () => {
    const never = override({ prices: { prompt: '1' }, utcStart: 1200, utcEnd: 1200 });
    expect(total(pricing({}, { overrides: [never] }), { promptTokens: 1 })).toBe(1_000n);
  });
});

describe('counts that a provider leaves out', () => {
  const estimated = {
    promptTokens: () => 11,
    completionTokens: () => 12,
    images: () => 13,
    outputImages: () => 14,
    imageOutputTokens: (completion: number, reasoning: number) => completion - reasoning,
    webSearches: () => 1,
    searchUnits: () => 21,
  };
  const counted: Metered = {
    promptTokens: 1,
    cachedTokens: 2,
    cacheWriteTokens: 3,
    cacheWrite1hTokens: 4,
    audioTokens: 5,
    cachedAudioTokens: 6,
    imageTokens: 7,
    completionTokens: 8,
    reasoningTokens: 9,
    completionAudioTokens: 10,
    images: 15,
    outputImages: 16,
    webSearches: 17,
    imageOutputTokens: 18,
    mediumSearches: 19,
    highSearches: 20,
    searchUnits: 22,
  };
  const guessed = {
    ...NO_TOKENS,
    ...{ promptTokens: 11, completionTokens: 12, images: 13, outputImages: 14 },
    ...{ imageOutputTokens: 12, webSearches: 1, searchUnits: 21 },
  };

  it('are estimated or 0; what it counts stays as it is, 0 included', () => {
    expect(allCounts({}, estimated)).toEqual(guessed);
    expect(allCounts(counted, estimated)).toEqual(counted);
    expect(allCounts(NO_TOKENS, estimated)).toEqual(NO_TOKENS);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('include a count of %d', (count) => {
    const invalid = Object.fromEntries(Object.keys(NO_TOKENS).map((name) => [name, count]));
    expect(allCounts(invalid, estimated)).toEqual(guessed);
  });
});
