/** How a list price came about, in lines that add up exactly: `docs/money.md#receipts`. Pure. */
import { addDecimals, type Decimal, multiplyDecimals, NANO_DIGITS, type NanoUsd } from '../base/money.js';
import { readPrice } from '../catalog/price.js';
import type { PriceKey } from '../catalog/types.js';
import type { Prices } from '../ledger/pricing/overrides.js';
import { fallbacksOf, type Metered } from '../ledger/pricing/price.js';
import { billedQuantities, type PartWithoutPrice } from './quantities.js';
import type { TermsContent } from './terms.js';

/** What was billed at one price; all amounts in USD. */
export interface ReceiptLine {
  /** The price. */
  readonly kind: PriceKey;
  readonly quantity: number;
  /** After overrides, mode and discount. */
  readonly unitPrice: Decimal;
  /** Before all of them. */
  readonly basePrice: Decimal;
  /** The unit price times the quantity. */
  readonly amount: Decimal;
  readonly includes: readonly PartWithoutPrice[];
}

export interface ReceiptLines {
  readonly lines: readonly ReceiptLine[];
  /** What the list price is more than the sum of the lines, USD: at most half a nano-USD, unless it is the most that is charged. */
  readonly rounding: Decimal;
}

/** The lines of what was metered, at these terms, for this list price. Pieces without a price have none. */
export function receiptLines(terms: TermsContent, metered: Metered, listNanoUsd: NanoUsd): ReceiptLines {
  const prices: Prices = { ...terms.base, ...terms.unit };
  const lines: ReceiptLine[] = [];
  let sum = ZERO;
  for (const { key, quantity, includes } of billedQuantities(prices, metered)) {
    const unitPrice = priceOf(prices[key]);
    if (unitPrice.digits === 0n && BY_THE_PIECE.includes(key)) continue;
    const amount = multiplyDecimals(unitPrice, { digits: BigInt(quantity), scale: 0 });
    const basePrice = priceOf(
      fallbacksOf(key)
        .map((one) => terms.base[one])
        .find(isText),
    );
    lines.push({ kind: key, quantity, unitPrice, basePrice, amount, includes });
    sum = addDecimals(sum, amount);
  }
  const rounding = addDecimals(
    { digits: listNanoUsd, scale: NANO_DIGITS },
    { digits: -sum.digits, scale: sum.scale },
  );
  return { lines, rounding };
}

const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Catalogues give most of them a price of 0, which says nothing. */
const BY_THE_PIECE: readonly PriceKey[] = [
  'request',
  'image',
  'image_output',
  'web_search',
  'web_search_medium',
  'web_search_high',
];

function priceOf(text: string | undefined): Decimal {
  return readPrice(text ?? '') ?? ZERO;
}

function isText(text: string | undefined): boolean {
  return text !== undefined;
}
