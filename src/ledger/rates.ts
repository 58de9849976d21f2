/** Prices as whole multiples of one unit, so that a cost is a sum of products without any rounding on the way. */
import { type Decimal, NANO_DIGITS, type NanoUsd, tenTo } from '../base/money.js';
import { readPrice, remainingShare } from '../catalog/price.js';
import type { PriceKey, Pricing } from '../catalog/types.js';
import { effectivePrices, maxPrices, type Prices } from './effective-prices.js';

/** What each price comes to after the discount. */
export interface Rates {
  /** A key that no price stands under is missing. */
  readonly units: Readonly<Partial<Record<PriceKey, bigint>>>;
  readonly unitsPerNanoUsd: bigint;
}

/** The rates for a prompt of this length at an instant in Unix milliseconds. */
export function ratesAt(pricing: Pricing, promptTokens: number, at: number): Rates {
  if (pricing.overrides.length === 0) return baseRates(pricing);
  return ratesOf(effectivePrices(pricing, promptTokens, at), remainingShare(pricing));
}

/** The dearest rates that may hold for a prompt of at most this length at the instant. */
export function maxRates(pricing: Pricing, maxPromptTokens: number, at: number): Rates {
  if (pricing.overrides.length === 0) return baseRates(pricing);
  return ratesOf(maxPrices(pricing, maxPromptTokens, at), remainingShare(pricing));
}

/** So many units in nano-USD, rounded half up. Costs are never negative. */
export function nanoUsdOf(units: bigint, { unitsPerNanoUsd }: Rates): NanoUsd {
  if (unitsPerNanoUsd === 1n) return units;
  return (2n * units + unitsPerNanoUsd) / (2n * unitsPerNanoUsd);
}

/** Without overrides the rates are the same at any time, for any prompt: they are kept beside the pricing itself. */
function baseRates(pricing: Pricing): Rates {
  const known = base.get(pricing);
  if (known !== undefined) return known;
  const rates = ratesOf(pricing.prices, remainingShare(pricing));
  base.set(pricing, rates);
  return rates;
}

const base = new WeakMap<Pricing, Rates>();

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
