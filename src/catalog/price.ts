import { compareText } from '../base/compare-text.js';
import { addDecimals, compareDecimals, type Decimal, multiplyDecimals, parseDecimal } from '../base/money.js';
import type { Endpoint, Pricing } from './types.js';

const ONE: Decimal = { digits: 1n, scale: 0 };

/** The price that endpoints are sorted by: prompt + completion after discount, in USD per token (interface section 6). */
export function sortingPrice(pricing: Pricing): Decimal {
  const sum = addDecimals(decimalOf(pricing.prices.prompt), decimalOf(pricing.prices.completion));
  return multiplyDecimals(sum, remainingShare(pricing));
}

/** What the discount leaves of every price: 1 minus the discount, exactly. */
export function remainingShare({ discount }: Pricing): Decimal {
  const { digits, scale } = decimalOf(String(discount ?? 0));
  return addDecimals(ONE, { digits: -digits, scale });
}

/** Orders endpoints of one model cheapest first, then by provider slug, then by id. */
export function compareEndpoints(a: Endpoint, b: Endpoint): number {
  const byPrice = compareDecimals(sortingPrice(a.pricing), sortingPrice(b.pricing));
  return byPrice || compareText(a.provider, b.provider) || compareText(a.id, b.id);
}

function decimalOf(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new TypeError(`not a price: ${text}`);
  return decimal;
}
