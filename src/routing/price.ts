/** What an endpoint costs as far as routing must know: exact decimals after discount, under default conditions (spec 2.1). */
import { addDecimals, type Decimal, multiplyDecimals, parseDecimal } from '../base/money.js';
import type { Endpoint, PriceKey, Pricing } from '../catalog/types.js';

const ZERO: Decimal = { digits: 0n, scale: 0 };
const ONE: Decimal = { digits: 1n, scale: 0 };

/** The price in USD after discount; undefined where the endpoint has none of that kind. */
export function discountedPrice(pricing: Pricing, key: PriceKey): Decimal | undefined {
  const price = decimalOf(pricing.prices[key]);
  return price && multiplyDecimals(price, payableShare(pricing));
}

/** What endpoints are sorted by: prompt + completion price after discount (interface section 6). */
export function sortingPrice(endpoint: Endpoint): Decimal {
  return addDecimals(
    discountedPrice(endpoint.pricing, 'prompt') ?? ZERO,
    discountedPrice(endpoint.pricing, 'completion') ?? ZERO,
  );
}

/** Whether nothing can be charged: every price is 0, those of overrides included, or the discount is whole. */
export function isFree({ prices, discount, overrides }: Pricing): boolean {
  if (discount !== null && discount >= 1) return true;
  const tables = [prices, ...overrides.map((override) => override.prices)];
  return tables.every((table) => Object.values(table).every((price) => decimalOf(price)?.digits === 0n));
}

/** 1 - discount. */
function payableShare({ discount }: Pricing): Decimal {
  const off = decimalOf(String(discount ?? 0)) ?? ZERO;
  return addDecimals(ONE, { digits: -off.digits, scale: off.scale });
}

function decimalOf(text: string | undefined): Decimal | undefined {
  return text === undefined ? undefined : parseDecimal(text);
}
