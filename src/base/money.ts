/**
 * Exact money. Amounts are integers of nano-USD (10^-9 USD) in a bigint; no float ever adds money.
 * Prices are decimal strings, as published; amounts cross the wire as JSON numbers.
 */
import { trimEnd } from './trim-end.js';

/** An integer number of nano-USD. */
export type NanoUsd = bigint;

/** Digits after the decimal point that an amount may have. */
export const NANO_DIGITS = 9;

const NANO_PER_USD = 10n ** BigInt(NANO_DIGITS);
const NANO_PER_USD_NUMBER = Number(NANO_PER_USD);
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A decimal number without rounding: `digits` x 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Reads a decimal text such as `0.00000125` or `1e-7`; undefined when it is not one. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const power = Number(exponent);
  if (Math.abs(power) > 400) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - power;
  return scale >= 0 ? { digits, scale } : { digits: digits * tenTo(-scale), scale: 0 };
}

/** The amount of a JSON number in USD, exact to its shortest decimal form; undefined beyond 9 decimals or not finite. */
export function usdToNano(usd: number): NanoUsd | undefined {
  return parseUsd(String(usd));
}

/** The exact amount that a decimal text in USD names; undefined beyond 9 decimals or when it is none. */
export function parseUsd(text: string): NanoUsd | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  if (decimal.scale <= NANO_DIGITS) return decimal.digits * tenTo(NANO_DIGITS - decimal.scale);
  const divisor = tenTo(decimal.scale - NANO_DIGITS);
  return decimal.digits % divisor === 0n ? decimal.digits / divisor : undefined;
}

/** The amount as the JSON number nearest to it, in USD. For the wire only: nothing is computed from it. */
export function nanoToUsd(amount: NanoUsd): number {
  const nano = Number(amount);
  // A quotient of two numbers without error is the number nearest to it; beyond them, the text is read.
  return Number.isSafeInteger(nano) ? nano / NANO_PER_USD_NUMBER : Number(formatNano(amount));
}

/** The amount as a decimal text in USD without trailing zeros. */
export function formatNano(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = trimEnd((magnitude % NANO_PER_USD).toString().padStart(NANO_DIGITS, '0'), '0');
  const whole = (magnitude / NANO_PER_USD).toString();
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The decimal as plain text: no exponent, no trailing zeros. The form of every price string on the wire. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = trimEnd(text.slice(text.length - scale), '0');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Orders two decimals: negative when `a` is the smaller. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = digitsAt(scale, a);
  const right = digitsAt(scale, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact sum of two decimals. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(scale, a) + digitsAt(scale, b), scale };
}

/** The exact product of two decimals. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** The digits of the decimal at a scale that is not below its own. */
function digitsAt(scale: number, { digits, scale: own }: Decimal): bigint {
  return scale === own ? digits : digits * tenTo(scale - own);
}

/** 10^`exponent`; those that prices need are not worked out again. */
export function tenTo(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

const POWERS_OF_TEN = Array.from({ length: 32 }, (_, exponent) => 10n ** BigInt(exponent));
