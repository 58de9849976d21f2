import { formatDecimal, parseDecimal } from '../../base/money.js';
import type { OverridePriceKey, PriceKey, PriceMode, Pricing } from '../types.js';
import type { DevCost, DevMode, DevTier } from './document.js';

/** The file's prices are per million tokens. */
const MILLION_DIGITS = 6;

/**
 * Exact prices per token. Reasoning tokens only get a price where it differs from the completion price, at which they are
 * billed by default and which tiers can change. Tiers become overrides; the legacy `context_over_200k` is ignored.
 */
export function convertCost(cost: DevCost): Pricing {
  const reasoning = cost.reasoning === cost.output ? null : cost.reasoning;
  return {
    prices: {
      prompt: perToken(cost.input),
      completion: perToken(cost.output),
      ...pricesAt<PriceKey>({
        audio: cost.inputAudio,
        audio_output: cost.outputAudio,
        input_cache_read: cost.cacheRead,
        input_cache_write: cost.cacheWrite,
        internal_reasoning: reasoning,
      }),
    },
    discount: null,
    overrides: cost.tiers.map((tier) => ({
      prices: tierPrices(tier),
      minPromptTokens: tier.size,
      utcStart: null,
      utcEnd: null,
      utcDays: null,
    })),
  };
}

export function convertMode(mode: DevMode): PriceMode {
  const prices = pricesAt({
    prompt: mode.input,
    completion: mode.output,
    audio: mode.inputAudio,
    audio_output: mode.outputAudio,
    input_cache_read: mode.cacheRead,
    input_cache_write: mode.cacheWrite,
    internal_reasoning: mode.reasoning === mode.output ? null : mode.reasoning,
  });
  return { words: mode.words, isBatch: false, minPromptTokens: null, multiplier: null, prices };
}

function tierPrices(tier: DevTier): Partial<Record<OverridePriceKey, string>> {
  return pricesAt<OverridePriceKey>({
    prompt: tier.input,
    completion: tier.output,
    audio: tier.inputAudio,
    input_cache_read: tier.cacheRead,
    input_cache_write: tier.cacheWrite,
  });
}

function pricesAt<K extends PriceKey>(
  perMillion: Partial<Record<K, string | null>>,
): Partial<Record<K, string>> {
  const prices: Partial<Record<K, string>> = {};
  for (const key in perMillion) {
    const price = perMillion[key];
    if (typeof price === 'string') prices[key] = perToken(price);
  }
  return prices;
}

function perToken(perMillion: string): string {
  const decimal = parseDecimal(perMillion);
  if (decimal === undefined) throw new TypeError(`not a price: ${perMillion}`);
  return formatDecimal({ digits: decimal.digits, scale: decimal.scale + MILLION_DIGITS });
}
