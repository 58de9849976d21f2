/** What an endpoint costs as far as routing must know: exact decimals under default conditions (spec 2.1). */
import { type Decimal, multiplyDecimals, parseDecimal } from '../../base/money.js';
import { remainingShare } from '../../catalog/price.js';
import type { PriceKey, Pricing } from '../../catalog/types.js';

/** The price in USD after discount; undefined where the endpoint has none of that kind. */
export function discountedPrice(pricing: Pricing, key: PriceKey): Decimal | undefined {
  const price = parseDecimal(pricing.prices[key] ?? '');
  return price && multiplyDecimals(price, remainingShare(pricing));
}

/** Whether nothing can be charged: every price is 0, those of overrides included, or the discount is whole. */
export function isFree(pricing: Pricing): boolean {
  if (remainingShare(pricing).digits === 0n) return true;
  const tables = [pricing.prices, ...pricing.overrides.map(({ prices }) => prices)];
  return tables.every((table) => Object.values(table).every((price) => parseDecimal(price)?.digits === 0n));
}
