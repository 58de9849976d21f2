/** Prices as integer multiples of one unit, so that a cost is a sum of products without intermediate rounding. */
import { type Decimal, NANO_DIGITS, type NanoUsd, tenTo } from '../base/money.js';
import { readPrice, remainingShare } from '../catalog/price.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { effectivePrices, maxPrices, type Prices } from './effective-prices.js';

/** Prices after the discount. */
export interface Rates {
  /** Without the keys that have no price. */
  readonly units: Readonly<Partial<Record<PriceKey, bigint>>>;
  readonly unitsPerNanoUsd: bigint;
}

/** The rates for a prompt of this length at an instant in Unix milliseconds. */
export function ratesAt(pricing: Pricing, promptTokens: number, at: number): Rates {
  if (pricing.overrides.length === 0) return baseRates(pricing);
  return ratesOf(effectivePrices(pricing, promptTokens, at), remainingShare(pricing));
}

/** The highest rates that may hold for a prompt of at most this length at the instant. */
export function maxRates(pricing: Pricing, maxPromptTokens: number, at: number): Rates {
  if (pricing.overrides.length === 0) return baseRates(pricing);
  return ratesOf(maxPrices(pricing, maxPromptTokens, at), remainingShare(pricing));
}

/** Rounded half up. Costs are never negative. */
export function nanoUsdOf(units: bigint, { unitsPerNanoUsd }: Rates): NanoUsd {
  if (unitsPerNanoUsd === 1n) return units;
  return (2n * units + unitsPerNanoUsd) / (2n * unitsPerNanoUsd);
}

/** Without overrides the rates depend on the pricing only, so they are cached. */
function baseRates(pricing: Pricing): Rates {
  const known = rateCache.get(pricing);
  if (known !== undefined) return known;
  const rates = ratesOf(pricing.prices, remainingShare(pricing));
  rateCache.set(pricing, rates);
  return rates;
}

const rateCache = new WeakMap<Pricing, Rates>();

const ZERO: Decimal = { digits: 0n, scale: 0 };

function ratesOf(prices: Prices, share: Decimal): Rates {
  const read = entriesOf(prices).map(([key, text]) => [key, readPrice(text) ?? ZERO] as const);
  const scale = Math.max(NANO_DIGITS, ...read.map(([, price]) => price.scale + share.scale));
  const units: Partial<Record<PriceKey, bigint>> = {};
  for (const [key, price] of read) {
    units[key] = price.digits * share.digits * tenTo(scale - price.scale - share.scale);
  }
  return { units, unitsPerNanoUsd: tenTo(scale - NANO_DIGITS) };
}

function entriesOf(prices: Prices): [PriceKey, string][] {
  return Object.entries(prices) as [PriceKey, string][];
}
