/** The most that a request may cost, for what is kept back while it is under way (interface section 5). Pure. */
import type { NanoUsd } from '../base/money.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { dearestPrices, isDearer } from './effective-prices.js';
import { listPrice } from './price.js';

/** How large a request can become. */
export interface Extent {
  /** Counted high. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  /** Whether there is audio in the prompt, or audio is asked for. */
  readonly hasAudio: boolean;
  readonly webSearches: number;
}

/** Kinds of tokens with a price of their own that any request may have. */
const PROMPT_KEYS: readonly PriceKey[] = ['input_cache_write', 'input_cache_write_1h', 'input_cache_read'];
const COMPLETION_KEYS: readonly PriceKey[] = ['internal_reasoning'];

const NO_PARTS = {
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  audioTokens: 0,
  cachedAudioTokens: 0,
  imageTokens: 0,
  reasoningTokens: 0,
  completionAudioTokens: 0,
};

/** The list price when every token is of the dearest kind that the request can have, under the dearest override. */
export function worstPrice(pricing: Pricing, extent: Extent, at: number): NanoUsd {
  const { promptTokens, completionTokens, images, hasAudio, webSearches } = extent;
  const { prompt, completion, ...prices } = dearestPrices(pricing, promptTokens, at);
  const audio: PriceKey[] = hasAudio ? ['audio', 'input_audio_cache'] : [];
  const image: PriceKey[] = images > 0 ? ['image_token'] : [];
  const dearest: Pricing = {
    prices: {
      ...(prices.request !== undefined && { request: prices.request }),
      ...(prices.image !== undefined && { image: prices.image }),
      ...(prices.web_search !== undefined && { web_search: prices.web_search }),
      prompt: dearestOf(prompt, prices, [...PROMPT_KEYS, ...audio, ...image]),
      completion: dearestOf(
        completion,
        prices,
        hasAudio ? [...COMPLETION_KEYS, 'audio_output'] : COMPLETION_KEYS,
      ),
    },
    discount: pricing.discount,
    overrides: [],
  };
  return listPrice(dearest, { ...NO_PARTS, promptTokens, completionTokens, images, webSearches }, at)
    .totalNanoUsd;
}

function dearestOf(
  base: string,
  prices: Partial<Record<PriceKey, string>>,
  keys: readonly PriceKey[],
): string {
  let dearest = base;
  for (const key of keys) {
    const price = prices[key];
    if (price !== undefined && isDearer(price, dearest)) dearest = price;
  }
  return dearest;
}
