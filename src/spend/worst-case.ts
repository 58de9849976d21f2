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
  /** Whether there are documents, other files or videos in the prompt: any of their tokens may be those of a picture or of sound. */
  readonly hasFiles: boolean;
  readonly webSearches: number;
}

/** Kinds of tokens with a price of their own that any request may have. */
const PROMPT_KEYS: readonly PriceKey[] = ['input_cache_write', 'input_cache_write_1h', 'input_cache_read'];
const COMPLETION_KEYS: readonly PriceKey[] = ['internal_reasoning'];

/** Those that only some have. */
const AUDIO_KEYS: readonly PriceKey[] = ['audio', 'input_audio_cache'];
const AUDIO_OUTPUT_KEYS: readonly PriceKey[] = ['audio_output'];
const IMAGE_KEYS: readonly PriceKey[] = ['image_token'];

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
  const { promptTokens, completionTokens, images, hasAudio, hasFiles, webSearches } = extent;
  const prices = dearestPrices(pricing, promptTokens, at);
  const promptKeys = [
    ...PROMPT_KEYS,
    ...(hasAudio || hasFiles ? AUDIO_KEYS : []),
    ...(images > 0 || hasFiles ? IMAGE_KEYS : []),
  ];
  const completionKeys = hasAudio ? [...COMPLETION_KEYS, ...AUDIO_OUTPUT_KEYS] : COMPLETION_KEYS;
  const dearest: Pricing = {
    prices: {
      ...prices,
      prompt: dearestOf('prompt', prices, promptKeys),
      completion: dearestOf('completion', prices, completionKeys),
    },
    discount: pricing.discount,
    overrides: [],
  };
  // All tokens are charged at these two: no part of them is told apart.
  return listPrice(dearest, { promptTokens, completionTokens, images, webSearches, ...NO_PARTS }, at)
    .totalNanoUsd;
}

function dearestOf(
  base: 'prompt' | 'completion',
  prices: Pricing['prices'],
  keys: readonly PriceKey[],
): string {
  let dearest = prices[base];
  for (const key of keys) {
    const price = prices[key];
    if (price !== undefined && isDearer(price, dearest)) dearest = price;
  }
  return dearest;
}
