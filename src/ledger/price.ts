/** What a request costs at list price, exactly; see `docs/money.md#what-is-billed-at-what`. Pure. */
import type { NanoUsd } from '../base/money.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { nanoUsdOf, type Rates, ratesAt } from './rates.js';

/** Counts are integers >= 0; `promptTokens` and `completionTokens` include the more specific counts. */
export interface Metered {
  readonly promptTokens: number;
  /** Of the prompt, read from a cache. */
  readonly cachedTokens: number;
  /** Of the prompt, written to a cache for any time. */
  readonly cacheWriteTokens: number;
  /** Of the cache writes, those for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Of the prompt, audio. */
  readonly audioTokens: number;
  /** Of the audio, read from a cache; included in `cachedTokens` too. */
  readonly cachedAudioTokens: number;
  /** Of the prompt, images. */
  readonly imageTokens: number;
  readonly completionTokens: number;
  /** Of the completion, reasoning. */
  readonly reasoningTokens: number;
  /** Of the completion, audio. */
  readonly completionAudioTokens: number;
  /** Input images, billed by the piece. */
  readonly images: number;
  /** Images of the answer, billed by the piece. */
  readonly outputImages: number;
  readonly webSearches: number;
}

/** Each rounded half up once. Requests, images and searches are in the total only. */
export interface ListPrice {
  readonly totalNanoUsd: NanoUsd;
  readonly promptNanoUsd: NanoUsd;
  readonly completionNanoUsd: NanoUsd;
}

/** The cost of a request made at `at` (Unix milliseconds), after overrides and discount. */
export function listPrice(pricing: Pricing, metered: Metered, at: number): ListPrice {
  const rates = ratesAt(pricing, metered.promptTokens, at);
  const prompt = tokenCost(rates, metered, metered.promptTokens, 'prompt', PROMPT_KINDS);
  const completion = tokenCost(rates, metered, metered.completionTokens, 'completion', COMPLETION_KINDS);
  const total = prompt + completion + flatCost(rates, metered);
  return {
    totalNanoUsd: nanoUsdOf(total, rates),
    promptNanoUsd: nanoUsdOf(prompt, rates),
    completionNanoUsd: nanoUsdOf(completion, rates),
  };
}

/** What is billed by the piece, in units of the rates. */
export function flatCost(
  rates: Rates,
  { images, outputImages, webSearches }: Pick<Metered, 'images' | 'outputImages' | 'webSearches'>,
): bigint {
  return (
    times(rates, 'request', 1) +
    times(rates, 'image', images) +
    times(rates, 'image_output', outputImages) +
    times(rates, 'web_search', webSearches)
  );
}

/** The cost of `count` at the price under the key, in units of the rates; 0 without such a price. */
export function times({ units }: Rates, key: PriceKey, count: number): bigint {
  const rate = units[key];
  return rate === undefined || count === 0 ? 0n : rate * BigInt(count);
}

/** Tokens of the prompt or the completion that are billed at the first of these prices that exists. */
interface TokenKind {
  count(metered: Metered): number;
  readonly keys: readonly PriceKey[];
}

const PROMPT_KINDS: readonly TokenKind[] = [
  {
    count: ({ cachedAudioTokens }) => cachedAudioTokens,
    keys: ['input_audio_cache', 'input_cache_read', 'audio'],
  },
  {
    count: ({ cachedTokens, cachedAudioTokens }) => cachedTokens - cachedAudioTokens,
    keys: ['input_cache_read'],
  },
  {
    count: ({ cacheWrite1hTokens }) => cacheWrite1hTokens,
    keys: ['input_cache_write_1h', 'input_cache_write'],
  },
  {
    count: ({ cacheWriteTokens, cacheWrite1hTokens }) => cacheWriteTokens - cacheWrite1hTokens,
    keys: ['input_cache_write'],
  },
  { count: ({ audioTokens, cachedAudioTokens }) => audioTokens - cachedAudioTokens, keys: ['audio'] },
  { count: ({ imageTokens }) => imageTokens, keys: ['image_token'] },
];

const COMPLETION_KINDS: readonly TokenKind[] = [
  { count: ({ reasoningTokens }) => reasoningTokens, keys: ['internal_reasoning'] },
  { count: ({ completionAudioTokens }) => completionAudioTokens, keys: ['audio_output'] },
];

/** Bills the kinds that have a price, then the rest at the general price; never more tokens than there are. */
function tokenCost(
  rates: Rates,
  metered: Metered,
  whole: number,
  restKey: PriceKey,
  kinds: readonly TokenKind[],
): bigint {
  let rest = whole;
  let cost = 0n;
  for (const kind of kinds) {
    const billed = Math.min(kind.count(metered), rest);
    if (billed <= 0) continue;
    const key = kind.keys.find((candidate) => rates.units[candidate] !== undefined);
    if (key === undefined) continue;
    rest -= billed;
    cost += times(rates, key, billed);
  }
  return cost + times(rates, restKey, rest);
}
