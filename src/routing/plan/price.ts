/** The price of an endpoint as routing compares it: exact decimals under default conditions, without overrides. */
import { type Decimal, multiplyDecimals, parseDecimal } from '../../base/money.js';
import { remainingShare } from '../../catalog/price.js';
import type { PriceKey, Pricing } from '../../catalog/types.js';

/** In USD after discount; undefined where the endpoint has no price of that kind. */
export function discountedPrice(pricing: Pricing, key: PriceKey): Decimal | undefined {
  const price = parseDecimal(pricing.prices[key] ?? '');
  return price && multiplyDecimals(price, remainingShare(pricing));
}

/** Whether nothing can be charged: every price is 0, those of overrides included, or the discount is 100%. */
export function isFree(pricing: Pricing): boolean {
  if (remainingShare(pricing).digits === 0n) return true;
  const tables = [pricing.prices, ...pricing.overrides.map(({ prices }) => prices)];
  return tables.every((table) => Object.values(table).every((price) => parseDecimal(price)?.digits === 0n));
}
