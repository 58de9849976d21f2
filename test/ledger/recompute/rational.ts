/** Exact fractions, independent of the decimals of `src/base/money.ts`. */

/** `numerator` / `denominator` in lowest terms; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Rational = { numerator: 0n, denominator: 1n };
export const ONE: Rational = { numerator: 1n, denominator: 1n };
const HALF: Rational = { numerator: 1n, denominator: 2n };
const NANO: Rational = { numerator: 1_000_000_000n, denominator: 1n };

/** Parses a decimal text, with or without an exponent. */
export function rational(text: string): Rational {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const digits = BigInt(whole + fraction);
  return power >= 0n ? reduced(digits * 10n ** power, 1n) : reduced(digits, 10n ** -power);
}

export function integer(value: number | bigint): Rational {
  return { numerator: BigInt(value), denominator: 1n };
}

export function plus(a: Rational, b: Rational): Rational {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function minus(a: Rational, b: Rational): Rational {
  return plus(a, { numerator: -b.numerator, denominator: b.denominator });
}

export function times(a: Rational, b: Rational): Rational {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Rounded half up; for numbers that are not negative. */
export function halfUp(value: Rational): bigint {
  const { numerator, denominator } = plus(value, HALF);
  return numerator / denominator;
}

/** USD in nano-USD, rounded half up. */
export function nanoUsd(usd: Rational): bigint {
  return halfUp(times(usd, NANO));
}

function reduced(numerator: bigint, denominator: bigint): Rational {
  const common = divisor(numerator < 0n ? -numerator : numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}
