/** What requests are charged at: kept once for all that share it, so that a receipt can say it whatever prices are by then. */
import { sha256Hex } from '../base/ids.js';
import { type Decimal, formatDecimal, NANO_DIGITS } from '../base/money.js';
import { readPrice } from '../catalog/price.js';
import { PRICE_KEYS, type PriceKey } from '../catalog/types.js';
import { FEE_RATE } from '../ledger/fee.js';
import type { BillingPlanInForce } from '../ledger/payer.js';
import type { Prices } from '../ledger/pricing/overrides.js';
import type { AppliedRates } from '../ledger/pricing/rates.js';
import type { Terms } from '../ledger/settlement.js';

/** Of requests that failed before anything was billed. */
export const NO_TERMS_ID = 0;

/** Decimal texts without exponents and trailing zeros. */
export interface TermsContent {
  /** USD before overrides, modes and discount. */
  readonly base: Prices;
  /** USD after all of them, where they are others than in `base`. */
  readonly unit?: Prices;
  /** Indexes of the overrides that applied; left out = none. */
  readonly overrides?: readonly number[];
  /** Left out = the base. */
  readonly mode?: string;
  /** Left out = 1. */
  readonly multiplier?: string;
  /** Left out = 0. */
  readonly discount?: string;
  /** The share of the list price above the allowance that is charged; left out on shared capacity. */
  readonly fee?: string;
  /** Left out where it is billed. */
  readonly unbilled?: true;
}

/** Made once for rates, which are the same object for all requests under the same prices. */
export function termsOf(rates: AppliedRates, plan: BillingPlanInForce, isByok: boolean): Terms {
  let known = termsCache.get(rates);
  if (known === undefined) {
    known = [];
    termsCache.set(rates, known);
  }
  const slot = (isByok ? 1 : 0) + (plan === 'unbilled' ? 2 : 0);
  const terms = known[slot] ?? termsOfContent(contentOf(rates, plan, isByok));
  known[slot] = terms;
  return terms;
}

const termsCache = new WeakMap<AppliedRates, Terms[]>();

/** Throws where the text is not that of terms. */
export function readTerms(json: string): TermsContent {
  return JSON.parse(json);
}

/** Hexadecimal digits of the id. */
const ID_DIGITS = 12;

/** With 100,000 different terms it is one in 60,000 that any two have the same id. 0 is not the id of any. */
export function termsIdOf(json: string): number {
  return Number.parseInt(sha256Hex(json).slice(0, ID_DIGITS), 16) || 1;
}

function termsOfContent(content: TermsContent): Terms {
  const json = JSON.stringify(content);
  return { id: termsIdOf(json), json };
}

function contentOf(
  { units, unitsPerNanoUsd, base, applied }: AppliedRates,
  plan: BillingPlanInForce,
  isByok: boolean,
): TermsContent {
  // `unitsPerNanoUsd` is a power of ten.
  const scale = NANO_DIGITS + unitsPerNanoUsd.toString().length - 1;
  const before: Partial<Record<PriceKey, string>> = {};
  const after: Partial<Record<PriceKey, string>> = {};
  for (const key of PRICE_KEYS) {
    const price = textOf(readPrice(base[key] ?? ''));
    const unit = units[key] === undefined ? undefined : formatDecimal({ digits: units[key], scale });
    if (price !== undefined) before[key] = price;
    if (unit !== undefined && unit !== price) after[key] = unit;
  }
  const { overrides, priceMode, multiplier, discount } = applied;
  const multiplied = formatDecimal(multiplier);
  return {
    base: before,
    ...(Object.keys(after).length > 0 && { unit: after }),
    ...(overrides.length > 0 && { overrides }),
    ...(priceMode !== null && { mode: priceMode }),
    ...(multiplied !== '1' && { multiplier: multiplied }),
    ...(discount !== 0 && { discount: textOf(readPrice(String(discount))) ?? '0' }),
    ...(isByok && { fee: plan === 'unbilled' ? '0' : formatDecimal(FEE_RATE) }),
    ...(plan === 'unbilled' && { unbilled: true }),
  };
}

function textOf(price: Decimal | undefined): string | undefined {
  return price && formatDecimal(price);
}
