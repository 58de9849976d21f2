/**
 * The most that a request may cost, which is reserved while it is in flight; see `docs/money.md#reservations`. Pure.
 */
import type { NanoUsd } from '../base/money.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { flatCost, times } from './price.js';
import { maxRates, nanoUsdOf, type Rates } from './rates.js';

/** Upper bounds on what is metered of a request. */
export interface MaxUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  readonly outputImages: number;
  /** Whether the prompt contains audio, or audio is requested. */
  readonly hasAudio: boolean;
  /**
   * Whether the prompt contains documents, other files or videos: any of their tokens may be billed as image or audio.
   */
  readonly hasFiles: boolean;
  readonly webSearches: number;
}

/** Prices of tokens that any request may have. */
const PROMPT_KEYS: readonly PriceKey[] = ['input_cache_write', 'input_cache_write_1h', 'input_cache_read'];
const COMPLETION_KEYS: readonly PriceKey[] = ['internal_reasoning'];

/** Prices of tokens that only some requests have. */
const AUDIO_KEYS: readonly PriceKey[] = ['audio', 'input_audio_cache'];
const AUDIO_OUTPUT_KEYS: readonly PriceKey[] = ['audio_output'];
const IMAGE_KEYS: readonly PriceKey[] = ['image_token'];

/**
 * The list price if every token is of the most expensive kind that the request can have, under the highest override.
 */
export function maxCostAt(pricing: Pricing, maxUsage: MaxUsage, at: number): NanoUsd {
  const { promptTokens, completionTokens, images, hasAudio, hasFiles } = maxUsage;
  const rates = maxRates(pricing, promptTokens, at);
  let promptKey = maxRateKey(rates, 'prompt', PROMPT_KEYS);
  let completionKey = maxRateKey(rates, 'completion', COMPLETION_KEYS);
  if (images > 0 || hasFiles) promptKey = maxRateKey(rates, promptKey, IMAGE_KEYS);
  if (hasAudio || hasFiles) promptKey = maxRateKey(rates, promptKey, AUDIO_KEYS);
  if (hasAudio) completionKey = maxRateKey(rates, completionKey, AUDIO_OUTPUT_KEYS);
  const tokens = times(rates, promptKey, promptTokens) + times(rates, completionKey, completionTokens);
  return nanoUsdOf(tokens + flatCost(rates, maxUsage), rates);
}

function maxRateKey({ units }: Rates, key: PriceKey, others: readonly PriceKey[]): PriceKey {
  let max = key;
  for (const other of others) {
    if ((units[other] ?? 0n) > (units[max] ?? 0n)) max = other;
  }
  return max;
}
