/** Which prices hold for a request: base prices under their overrides (spec 2.1, override rules). */
import { compareDecimals } from '../base/money.js';
import { readPrice } from '../catalog/price.js';
import { type PriceKey, type Pricing, type PricingOverride, WEEKDAYS } from '../catalog/types.js';

/** Prices by key, as decimal texts in USD; before the discount. */
export type Prices = Readonly<Partial<Record<PriceKey, string>>>;

/** The prices for a prompt of this length at an instant in Unix milliseconds. Later entries win per key. */
export function effectivePrices(pricing: Pricing, promptTokens: number, at: number): Prices {
  if (pricing.overrides.length === 0) return pricing.prices;
  const date = new Date(at);
  const applicable = pricing.overrides.filter((override) => applies(override, promptTokens, date));
  return Object.assign({}, pricing.prices, ...applicable.map((override) => override.prices));
}

/**
 * For each key the highest of the prices that may hold for a prompt of at most this length at the instant: a shorter
 * one may fall short of an override that is cheaper.
 */
export function maxPrices(pricing: Pricing, maxPromptTokens: number, at: number): Pricing['prices'] {
  if (pricing.overrides.length === 0) return pricing.prices;
  const date = new Date(at);
  const dearest: Record<string, string> = { ...pricing.prices };
  for (const override of pricing.overrides) {
    if (!applies(override, maxPromptTokens, date)) continue;
    for (const [key, price] of Object.entries(override.prices)) {
      if (isDearer(price, dearest[key])) dearest[key] = price;
    }
  }
  return { ...pricing.prices, ...dearest };
}

/** Whether a price, a decimal text, is higher than another, or the other is not given. */
function isDearer(price: string, than: string | undefined): boolean {
  const [a, b] = [readPrice(price), readPrice(than ?? '')];
  return a !== undefined && (b === undefined || compareDecimals(a, b) > 0);
}

function applies(override: PricingOverride, promptTokens: number, at: Date): boolean {
  if (override.minPromptTokens !== null && promptTokens <= override.minPromptTokens) return false;
  const day = WEEKDAYS[(at.getUTCDay() + 6) % 7];
  if (override.utcDays !== null && !override.utcDays.some((listed) => listed === day)) return false;
  return inWindow(override, at.getUTCHours() * 100 + at.getUTCMinutes());
}

/** Whether the clock number lies in [start, end), which wraps past midnight where start > end. */
function inWindow({ utcStart, utcEnd }: PricingOverride, clock: number): boolean {
  const start = utcStart ?? 0;
  const end = utcEnd ?? 2400;
  return start <= end ? start <= clock && clock < end : clock >= start || clock < end;
}
