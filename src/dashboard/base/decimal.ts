/** Amounts of USD as exact decimals: texts and integers of nano-USD, so that no sum or price is ever rounded twice. */

const NANO_DIGITS = 9;
const NANO = 10n ** 9n;

/** The shortest decimal text that reads back as the number, without an exponent: `1e-9` becomes `0.000000001`. */
export function decimalText(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e');
  return exponent === undefined ? mantissa : shiftPoint(mantissa, Number(exponent));
}

/** Moves the decimal point to the right (to the left when negative); superfluous zeros are dropped. */
function shiftPoint(decimal: string, places: number): string {
  const sign = decimal.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = decimal.slice(sign.length).split('.');
  const digits = `${'0'.repeat(Math.max(0, -places))}${whole}${fraction}${'0'.repeat(Math.max(0, places))}`;
  const point = digits.length - fraction.length - Math.max(0, places) + places;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0';
  const after = withoutZeros(digits.slice(point));
  return `${sign}${before}${after === '' ? '' : `.${after}`}`;
}

/** The amount in nano-USD; finer digits, which no amount of the gateway has, are cut off. */
export function nanoUsd(usd: number): bigint {
  return BigInt(shiftPoint(decimalText(usd), NANO_DIGITS).split('.')[0] ?? '0');
}

/** `$1,234.50`: at least cents, and every digit that there is. */
export function usdText(nano: bigint): string {
  const absolute = nano < 0n ? -nano : nano;
  const fraction = withoutZeros((absolute % NANO).toString().padStart(NANO_DIGITS, '0')).padEnd(2, '0');
  return `${nano < 0n ? '−' : ''}$${grouped((absolute / NANO).toString())}.${fraction}`;
}

/** An amount of a record, see `usdText`. */
export function usd(amount: number): string {
  return usdText(nanoUsd(amount));
}

/** A decimal text in USD with every digit that it has, and at least cents: `-0.0000000004` becomes `−$0.0000000004`. */
export function exactUsd(text: string): string {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return `${text.startsWith('-') ? '−' : ''}$${grouped(whole)}.${fraction.padEnd(2, '0')}`;
}

/** A decimal text moved by two digits: `0.05` becomes `5 %`. */
export function percent(share: string): string {
  return `${shiftPoint(share, 2)} %`;
}

/** A price per token, as in the catalogue, in USD per million tokens: `0.000003` becomes `$3.00`. */
export function perMillion(pricePerToken: string): string {
  const [whole = '', fraction = ''] = shiftPoint(pricePerToken, 6).split('.');
  return `$${grouped(whole)}.${fraction.padEnd(2, '0')}`;
}

/** `1234567` becomes `1,234,567`. */
export function count(value: number | bigint): string {
  return value.toLocaleString('en-US');
}

function grouped(digits: string): string {
  return count(BigInt(digits));
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}
