import { addDecimals, compareDecimals, type Decimal, multiplyDecimals, parseDecimal } from '../base/money.js';
import { compareText } from '../base/text.js';
import type { Endpoint, PriceKey, Pricing } from './types.js';

const ONE: Decimal = { digits: 1n, scale: 0 };

/** The price by which endpoints are sorted: prompt + completion after discount, in USD per token. */
export function sortingPrice(pricing: Pricing): Decimal {
  const sum = addDecimals(decimalOf(pricing.prices.prompt), decimalOf(pricing.prices.completion));
  return multiplyDecimals(sum, remainingShare(pricing));
}

/** Exactly 1 minus the discount. */
export function remainingShare({ discount }: Pricing): Decimal {
  if (discount === null || discount === 0) return ONE;
  const { digits, scale } = decimalOf(String(discount));
  return addDecimals(ONE, { digits: -digits, scale });
}

/** In USD after discount; undefined where the endpoint has no price of that kind. */
export function discountedPrice(pricing: Pricing, key: PriceKey): Decimal | undefined {
  const price = parseDecimal(pricing.prices[key] ?? '');
  return price && multiplyDecimals(price, remainingShare(pricing));
}

/** Whether nothing can be charged: every price is 0, those of overrides and modes included, or the discount is 100%. */
export function isFree(pricing: Pricing): boolean {
  let free = known.get(pricing);
  if (free === undefined) {
    free = remainingShare(pricing).digits === 0n || areAllZero(pricing);
    known.set(pricing, free);
  }
  return free;
}

const known = new WeakMap<Pricing, boolean>();

function areAllZero({ prices, overrides, modes = [] }: Pricing): boolean {
  const tables = [prices, ...[...overrides, ...modes].map((one) => one.prices)];
  return tables.every((table) => Object.values(table).every((price) => parseDecimal(price)?.digits === 0n));
}

/** Orders endpoints of one model cheapest first, then by provider slug, then by id. */
export function compareEndpoints(a: Endpoint, b: Endpoint): number {
  const byPrice = compareDecimals(sortingPrice(a.pricing), sortingPrice(b.pricing));
  return byPrice || compareText(a.provider, b.provider) || compareText(a.id, b.id);
}

/**
 * Parses a price; undefined when it is not a decimal. Results are cached, since every request parses the same few prices.
 */
export function readPrice(text: string): Decimal | undefined {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const price = parseDecimal(text);
  if (price === undefined) return undefined;
  if (parsed.size === MAX_PARSED) parsed.clear();
  parsed.set(text, price);
  return price;
}

/** Far more than the distinct prices of a catalogue. */
const MAX_PARSED = 10_000;

const parsed = new Map<string, Decimal>();

function decimalOf(text: string): Decimal {
  const decimal = readPrice(text);
  if (decimal === undefined) throw new TypeError(`not a price: ${text}`);
  return decimal;
}
