/** An independent computation of what tokens cost: in whole pico-USD, rounded once. */

const PICO_DIGITS = 12;

/** The price in USD times 10^12, exactly. */
function picoUsd(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(PICO_DIGITS, '0'));
}

/** What these counts at these prices cost, in nano-USD, rounded half up. */
export function nanoUsd(billed: readonly (readonly [count: number, price: string])[]): bigint {
  const pico = billed.reduce((sum, [count, price]) => sum + BigInt(count) * picoUsd(price), 0n);
  return (pico + 500n) / 1000n;
}

export function usd(nano: bigint): number {
  return Number(`${nano / 10n ** 9n}.${String(nano % 10n ** 9n).padStart(9, '0')}`);
}
