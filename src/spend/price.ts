/** What a request costs at list price, exactly (interface section 5). Pure: prices, counts and the instant come in. */
import {
  addDecimals,
  type Decimal,
  multiplyDecimals,
  NANO_DIGITS,
  type NanoUsd,
  tenTo,
} from '../base/money.js';
import { readPrice, remainingShare } from '../catalog/price.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { effectivePrices, type Prices } from './effective-prices.js';

/** What is metered of a request. Parts are included in their whole; counts are integers >= 0. */
export interface Metered {
  readonly promptTokens: number;
  /** Of the prompt, read from a cache. */
  readonly cachedTokens: number;
  /** Of the prompt, written to a cache, whatever for how long. */
  readonly cacheWriteTokens: number;
  /** Of the cache writes, those kept for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Of the prompt, audio. */
  readonly audioTokens: number;
  /** Of the audio, read from a cache; among `cachedTokens` too. */
  readonly cachedAudioTokens: number;
  /** Of the prompt, images. */
  readonly imageTokens: number;
  readonly completionTokens: number;
  /** Of the completion, reasoning. */
  readonly reasoningTokens: number;
  /** Of the completion, audio. */
  readonly completionAudioTokens: number;
  /** Input images, whatever their tokens. */
  readonly images: number;
  readonly webSearches: number;
}

/** The whole and its two sides, each rounded half up once; requests, images and searches are on neither side. */
export interface ListPrice {
  readonly totalNanoUsd: NanoUsd;
  readonly promptNanoUsd: NanoUsd;
  readonly completionNanoUsd: NanoUsd;
}

const ZERO: Decimal = { digits: 0n, scale: 0 };

/** The list-price cost of a request made at `at` (Unix milliseconds), after overrides and discount. */
export function listPrice(pricing: Pricing, metered: Metered, at: number): ListPrice {
  const prices = effectivePrices(pricing, metered.promptTokens, at);
  const share = remainingShare(pricing);
  const prompt = multiplyDecimals(promptCost(prices, metered), share);
  const completion = multiplyDecimals(completionCost(prices, metered), share);
  const rest = multiplyDecimals(flatCost(prices, metered), share);
  return {
    totalNanoUsd: roundToNano(addDecimals(addDecimals(prompt, completion), rest)),
    promptNanoUsd: roundToNano(prompt),
    completionNanoUsd: roundToNano(completion),
  };
}

/** Parts with a price of their own first; what is left at `prompt`. Never more tokens than the whole has. */
function promptCost(prices: Prices, metered: Metered): Decimal {
  return tokenCost(prices, metered.promptTokens, 'prompt', [
    [metered.cachedAudioTokens, ['input_audio_cache', 'input_cache_read', 'audio']],
    [metered.cachedTokens - metered.cachedAudioTokens, ['input_cache_read']],
    [metered.cacheWrite1hTokens, ['input_cache_write_1h', 'input_cache_write']],
    [metered.cacheWriteTokens - metered.cacheWrite1hTokens, ['input_cache_write']],
    [metered.audioTokens - metered.cachedAudioTokens, ['audio']],
    [metered.imageTokens, ['image_token']],
  ]);
}

function completionCost(prices: Prices, metered: Metered): Decimal {
  return tokenCost(prices, metered.completionTokens, 'completion', [
    [metered.reasoningTokens, ['internal_reasoning']],
    [metered.completionAudioTokens, ['audio_output']],
  ]);
}

function flatCost(prices: Prices, metered: Metered): Decimal {
  const images = times(prices.image, metered.images);
  const searches = times(prices.web_search, metered.webSearches);
  return addDecimals(times(prices.request, 1), addDecimals(images, searches));
}

/** A part is a count and the keys that it may be priced at, the first that stands. */
type Part = readonly [count: number, keys: readonly PriceKey[]];

function tokenCost(prices: Prices, whole: number, restKey: PriceKey, parts: readonly Part[]): Decimal {
  let rest = whole;
  let cost = ZERO;
  for (const [count, keys] of parts) {
    const billed = Math.min(count, rest);
    if (billed <= 0) continue;
    const key = keys.find((candidate) => prices[candidate] !== undefined);
    if (key === undefined) continue;
    rest -= billed;
    cost = addDecimals(cost, times(prices[key], billed));
  }
  return addDecimals(cost, times(prices[restKey], rest));
}

function times(price: string | undefined, count: number): Decimal {
  if (price === undefined || count === 0) return ZERO;
  return multiplyDecimals(readPrice(price) ?? ZERO, { digits: BigInt(count), scale: 0 });
}

/** Half up. Costs are never negative. */
function roundToNano({ digits, scale }: Decimal): NanoUsd {
  if (scale <= NANO_DIGITS) return digits * tenTo(NANO_DIGITS - scale);
  const divisor = tenTo(scale - NANO_DIGITS);
  return (2n * digits + divisor) / (2n * divisor);
}
