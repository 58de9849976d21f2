/** Arithmetic of prices as catalogues have them: decimal texts, validated. */
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
} from '../../base/money.js';

export function comparePrices(a: string, b: string): number {
  return compareDecimals(decimalOf(a), decimalOf(b));
}

/** Exact. */
export function multiplyPrice(price: string, factor: string): string {
  return formatDecimal(multiplyDecimals(decimalOf(price), decimalOf(factor)));
}

export function isZero(price: string): boolean {
  return decimalOf(price).digits === 0n;
}

function decimalOf(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new TypeError(`not a decimal: ${text}`);
  return decimal;
}
