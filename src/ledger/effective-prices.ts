/** The prices of a request: base prices under their overrides, see `docs/money.md#prices`. */
import { compareDecimals } from '../base/money.js';
import { readPrice } from '../catalog/price.js';
import { type PriceKey, type Pricing, type PricingOverride, WEEKDAYS } from '../catalog/types.js';

/** Decimal texts in USD, before the discount. */
export type Prices = Readonly<Partial<Record<PriceKey, string>>>;

/** The prices for a prompt of this length at an instant in Unix milliseconds. Later overrides win, key by key. */
export function effectivePrices(pricing: Pricing, promptTokens: number, at: number): Prices {
  if (pricing.overrides.length === 0) return pricing.prices;
  const date = new Date(at);
  const applicable = pricing.overrides.filter((override) => applies(override, promptTokens, date));
  return Object.assign({}, pricing.prices, ...applicable.map((override) => override.prices));
}

/**
 * For each key the highest price that may hold for a prompt of at most this length at the instant: for a shorter one
 * a cheaper override may not apply.
 */
export function maxPrices(pricing: Pricing, maxPromptTokens: number, at: number): Pricing['prices'] {
  if (pricing.overrides.length === 0) return pricing.prices;
  const date = new Date(at);
  const highest: Record<string, string> = { ...pricing.prices };
  for (const override of pricing.overrides) {
    if (!applies(override, maxPromptTokens, date)) continue;
    for (const [key, price] of Object.entries(override.prices)) {
      if (isHigher(price, highest[key])) highest[key] = price;
    }
  }
  return { ...pricing.prices, ...highest };
}

/** Compares decimal texts; true also when the other is missing. */
function isHigher(price: string, than: string | undefined): boolean {
  const [a, b] = [readPrice(price), readPrice(than ?? '')];
  return a !== undefined && (b === undefined || compareDecimals(a, b) > 0);
}

function applies(override: PricingOverride, promptTokens: number, at: Date): boolean {
  if (override.minPromptTokens !== null && promptTokens <= override.minPromptTokens) return false;
  const day = WEEKDAYS[(at.getUTCDay() + 6) % 7];
  if (override.utcDays !== null && !override.utcDays.some((listed) => listed === day)) return false;
  return inWindow(override, at.getUTCHours() * 100 + at.getUTCMinutes());
}

/** Whether the clock number (HHMM) lies in [start, end), which wraps past midnight when start > end. */
function inWindow({ utcStart, utcEnd }: PricingOverride, clock: number): boolean {
  const start = utcStart ?? 0;
  const end = utcEnd ?? 2400;
  return start <= end ? start <= clock && clock < end : clock >= start || clock < end;
}
