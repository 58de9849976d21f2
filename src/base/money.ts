/**
 * Exact money. Amounts are integers of nano-USD (10^-9 USD) in a bigint; no float ever adds money. Prices are decimal
 * strings, as published; amounts are JSON numbers in answers only. See `docs/adr/0006-money-in-nano-usd.md`.
 */
import { trimEnd } from './text.js';

/** 10^-9 USD. */
export type NanoUsd = bigint;

/** Decimals of an amount in USD. */
export const NANO_DIGITS = 9;

const NANO_PER_USD = 10n ** BigInt(NANO_DIGITS);
const NANO_PER_USD_NUMBER = Number(NANO_PER_USD);
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** An exact decimal number: `digits` x 10^-`scale`. */
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

/** Converts the shortest decimal form of a number in USD exactly; undefined beyond 9 decimals or when not finite. */
export function usdToNano(usd: number): NanoUsd | undefined {
  return parseUsd(String(usd));
}

/** Converts a decimal text in USD exactly; undefined beyond 9 decimals or when it is not a number. */
export function parseUsd(text: string): NanoUsd | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  if (decimal.scale <= NANO_DIGITS) return decimal.digits * tenTo(NANO_DIGITS - decimal.scale);
  const divisor = tenTo(decimal.scale - NANO_DIGITS);
  return decimal.digits % divisor === 0n ? decimal.digits / divisor : undefined;
}

/** The JSON number nearest to the amount, in USD. For answers only: nothing is computed from it. */
export function nanoToUsd(amount: NanoUsd): number {
  const nano = Number(amount);
  // The quotient of two exact numbers is correctly rounded; larger amounts are parsed from their text.
  return Number.isSafeInteger(nano) ? nano / NANO_PER_USD_NUMBER : Number(formatNano(amount));
}

/** A decimal text in USD without trailing zeros. */
export function formatNano(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = trimEnd((magnitude % NANO_PER_USD).toString().padStart(NANO_DIGITS, '0'), '0');
  const whole = (magnitude / NANO_PER_USD).toString();
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** No exponent, no trailing zeros: the form of every price in an answer. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = trimEnd(text.slice(text.length - scale), '0');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Negative when `a` is the smaller. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = digitsAt(scale, a);
  const right = digitsAt(scale, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(scale, a) + digitsAt(scale, b), scale };
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** `scale` must not be below that of the decimal. */
function digitsAt(scale: number, { digits, scale: own }: Decimal): bigint {
  return scale === own ? digits : digits * tenTo(scale - own);
}

/** 10^`exponent`; precomputed for the range of prices. */
export function tenTo(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

const POWERS_OF_TEN = Array.from({ length: 32 }, (_, exponent) => 10n ** BigInt(exponent));
