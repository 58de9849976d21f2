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
  if (discount === null || discount === 0) return ONE;
  const { digits, scale } = decimalOf(String(discount));
  return addDecimals(ONE, { digits: -digits, scale });
}

/** Orders endpoints of one model cheapest first, then by provider slug, then by id. */
export function compareEndpoints(a: Endpoint, b: Endpoint): number {
  const byPrice = compareDecimals(sortingPrice(a.pricing), sortingPrice(b.pricing));
  return byPrice || compareText(a.provider, b.provider) || compareText(a.id, b.id);
}

/**
 * What the text of a price says; undefined when it is no decimal. Every request asks for the same few texts of the
 * catalogue, so what they say is kept.
 */
export function readPrice(text: string): Decimal | undefined {
  const known = read.get(text);
  if (known !== undefined) return known;
  const price = parseDecimal(text);
  if (price === undefined) return undefined;
  if (read.size === MAX_READ) read.clear();
  read.set(text, price);
  return price;
}

/** Far more than the different prices of a catalogue. */
const MAX_READ = 10_000;

const read = new Map<string, Decimal>();

function decimalOf(text: string): Decimal {
  const decimal = readPrice(text);
  if (decimal === undefined) throw new TypeError(`not a price: ${text}`);
  return decimal;
}
