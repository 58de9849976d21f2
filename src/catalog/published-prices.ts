/** Prices that makers publish and public lists lack. See `docs/catalog.md#prices-that-lists-lack`. */
import { formatDecimal, parseDecimal } from '../base/money.js';
import type { Pricing } from './types.js';

/** Where Claude is sold at its maker's prices for caches. */
const CLAUDE_HOSTS: ReadonlySet<string> = new Set(['anthropic', 'amazon-bedrock', 'azure', 'google-vertex']);

/** 10 USD per 1,000 searches. */
const CLAUDE_SEARCH = '0.01';

/** With what the maker of the model publishes; what is priced already stays. */
export function withPublishedPrices(modelId: string, provider: string, pricing: Pricing): Pricing {
  if (!modelId.startsWith('anthropic/claude-') || !CLAUDE_HOSTS.has(provider)) return pricing;
  return {
    ...pricing,
    prices: {
      ...withHourlyCache(pricing.prices),
      ...(provider === 'anthropic' && { web_search: pricing.prices.web_search ?? CLAUDE_SEARCH }),
    },
    overrides: pricing.overrides.map((one) => ({ ...one, prices: withHourlyCache(one.prices) })),
  };
}

/** A write for an hour costs twice the input, where writes have a price. */
function withHourlyCache<P extends Pricing['overrides'][number]['prices']>(prices: P): P {
  const { prompt, input_cache_write, input_cache_write_1h } = prices;
  if (prompt === undefined || input_cache_write === undefined || input_cache_write_1h !== undefined)
    return prices;
  const decimal = parseDecimal(prompt);
  if (decimal === undefined) return prices;
  return { ...prices, input_cache_write_1h: formatDecimal({ ...decimal, digits: 2n * decimal.digits }) };
}
