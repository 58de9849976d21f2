/** Receipts as a client has them, added up apart from the code that makes them. */
import { expect } from 'vitest';
import { type Call, type Row, recordOf } from './rest.js';

export interface ReceiptRow extends Row {
  readonly lines: readonly {
    readonly kind: string;
    readonly quantity: number;
    readonly unit_price_usd: string;
    readonly base_price_usd: string;
    readonly amount_usd: string;
    readonly includes: readonly { readonly kind: string; readonly quantity: number }[];
  }[];
  readonly list_price_usd: string;
  readonly rounding_usd: string;
  readonly charged_usd: string;
}

/** Decimals of every amount that tests have, and more. */
const SCALE = 40;

/** An exact decimal text times 10^40. */
function scaled(text: string): bigint {
  expect(text).toMatch(/^-?\d+(\.\d+)?$/);
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  expect(fraction.length).toBeLessThanOrEqual(SCALE);
  const digits = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return text.startsWith('-') ? -digits : digits;
}

/** The receipt of a generation, which must add up. */
export async function receiptOf(call: Call, id: unknown): Promise<ReceiptRow> {
  const receipt = recordOf(await call('GET', `/generation/receipt?id=${String(id)}`)) as ReceiptRow;
  let sum = 0n;
  for (const line of receipt.lines) {
    expect(scaled(line.amount_usd)).toBe(scaled(line.unit_price_usd) * BigInt(line.quantity));
    sum += scaled(line.amount_usd);
  }
  expect(sum + scaled(receipt.rounding_usd)).toBe(scaled(receipt.list_price_usd));
  return receipt;
}
