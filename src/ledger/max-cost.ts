/** The most that a request may cost, for what is kept back while it is under way (interface section 5). Pure. */
import type { NanoUsd } from '../base/money.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { flatCost, times } from './price.js';
import { maxRates, nanoUsdOf, type Rates } from './rates.js';

/** How large a request can become. */
export interface MaxUsage {
  /** Counted high. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  readonly outputImages: number;
  /** Whether there is audio in the prompt, or audio is asked for. */
  readonly hasAudio: boolean;
  /**
   * Whether there are documents, other files or videos in the prompt: any of their tokens may be those of a picture or
   * of sound.
   */
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

/** The list price when every token is of the dearest kind that the request can have, under the dearest override. */
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
  let dearest = key;
  for (const other of others) {
    if ((units[other] ?? 0n) > (units[dearest] ?? 0n)) dearest = other;
  }
  return dearest;
}
