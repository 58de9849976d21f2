/**
 * At what a request is billed: the base prices, then overrides, then modes, then the discount. Exact. See
 * `docs/money.md#price-modes`.
 */
import { compareDecimals, type Decimal, multiplyDecimals, NANO_DIGITS, tenTo } from '../../base/money.js';
import { BASE_MODE, type ModeWords } from '../../catalog/modes.js';
import { readPrice, remainingShare } from '../../catalog/price.js';
import {
  MODE_KINDS,
  type ModeKind,
  type PriceKey,
  type PriceMode,
  type Pricing,
  TOKEN_PRICE_KEYS,
} from '../../catalog/types.js';
import { applicableOverrides, type Prices } from './overrides.js';

/** The mode that a request is billed in. */
export interface BilledMode {
  /** In the host's words. */
  readonly mode: ModeWords;
  readonly isBatch: boolean;
}

export const AT_BASE: BilledMode = { mode: BASE_MODE, isBatch: false };
export const AS_BATCH: BilledMode = { mode: BASE_MODE, isBatch: true };

/** Everything that rates depend on besides the prices. */
export interface RateConditions extends BilledMode {
  readonly promptTokens: number;
  /** The start of the request, Unix milliseconds. */
  readonly at: number;
}

/** Prices of one request. */
export interface Rates {
  /** After everything, without the keys that have no price. */
  readonly units: Readonly<Partial<Record<PriceKey, bigint>>>;
  readonly unitsPerNanoUsd: bigint;
}

/** What made rates of the base prices. */
export interface Applied {
  /** Indexes of the overrides. */
  readonly overrides: readonly number[];
  /** Indexes of the modes. */
  readonly modes: readonly number[];
  /** The conditions of the modes: `service_tier:priority+inference_geo:us`, `batch:true`; null = the base. */
  readonly priceMode: string | null;
  /** The product of the multipliers. */
  readonly multiplier: Decimal;
  /** 0 to 1. */
  readonly discount: number;
}

export interface AppliedRates extends Rates {
  /** Before everything. */
  readonly base: Prices;
  readonly applied: Applied;
}

/**
 * The rates of a request under these conditions, and what was applied: the same object for all requests to which the
 * same of the same pricing applies.
 */
export function ratesUnder(pricing: Pricing, conditions: RateConditions): AppliedRates {
  const { overrides, modes = NO_MODES } = pricing;
  if (overrides.length === 0 && (modes.length === 0 || isBase(conditions))) return baseRates(pricing);
  const { promptTokens, at } = conditions;
  const applicable = applicableOverrides(pricing, promptTokens, at);
  const inMode = applicableModes(modes, conditions);
  const known = knownRates(pricing);
  const name = `${applicable.map(({ index }) => index)}/${inMode.map(({ index }) => index)}`;
  let rates = known.get(name);
  if (rates === undefined) {
    if (known.size === MAX_KNOWN_RATES) known.clear();
    rates = ratesOfApplied(pricing, applicable, inMode);
    known.set(name, rates);
  }
  return rates;
}

function ratesOfApplied(
  pricing: Pricing,
  applicable: ReturnType<typeof applicableOverrides>,
  inMode: ReturnType<typeof applicableModes>,
): AppliedRates {
  const prices = Object.assign({}, pricing.prices, ...applicable.map(({ override }) => override.prices));
  let decimals = decimalsOf(prices);
  for (const { mode } of inMode) decimals = inPriceMode(decimals, mode);
  return {
    ...ratesOf(decimals, remainingShare(pricing)),
    base: pricing.prices,
    applied: {
      overrides: applicable.map(({ index }) => index),
      modes: inMode.map(({ index }) => index),
      priceMode: nameOf(inMode.map(({ mode }) => mode)),
      multiplier: inMode.reduce((product, { mode }) => multiplyDecimals(product, multiplierOf(mode)), ONE),
      discount: pricing.discount ?? 0,
    },
  };
}

/**
 * For each key the highest rate that may hold for a prompt of at most this length: for a shorter one what makes it cheaper
 * may not apply.
 */
export function maxRates(pricing: Pricing, conditions: RateConditions): Rates {
  const { overrides, modes = NO_MODES } = pricing;
  if (overrides.length === 0 && (modes.length === 0 || isBase(conditions))) return baseRates(pricing);
  const { promptTokens, at } = conditions;
  let highest = decimalsOf(pricing.prices);
  for (const { override } of applicableOverrides(pricing, promptTokens, at)) {
    highest = highestOf(highest, decimalsOf(override.prices));
  }
  for (const { mode } of applicableModes(modes, conditions)) {
    const inMode = inPriceMode(highest, mode);
    highest = mode.minPromptTokens === null ? inMode : highestOf(highest, inMode);
  }
  return ratesOf(highest, remainingShare(pricing));
}

/** The price under default conditions, in a mode and after discount, USD; undefined where there is none of that kind. */
export function priceInMode(
  pricing: Pricing,
  key: PriceKey,
  mode: ModeWords,
  promptTokens: number,
): Decimal | undefined {
  const conditions = { mode, isBatch: false, promptTokens, at: 0 };
  const inModes = applicableModes(pricing.modes ?? NO_MODES, conditions);
  const price = inModes.reduce((prices, one) => inPriceMode(prices, one.mode), decimalsOf(pricing.prices))[
    key
  ];
  return price && multiplyDecimals(price, remainingShare(pricing));
}

/** The conditions of the modes that apply, as `Applied.priceMode`. */
export function priceModeOf({ modes }: Pricing, mode: ModeWords, promptTokens: number): string | null {
  const inModes = applicableModes(modes ?? NO_MODES, { mode, isBatch: false, promptTokens, at: 0 });
  return nameOf(inModes.map((one) => one.mode));
}

const NO_MODES: readonly PriceMode[] = [];
const ONE: Decimal = { digits: 1n, scale: 0 };
const ZERO: Decimal = { digits: 0n, scale: 0 };

function isBase({ mode, isBatch }: BilledMode): boolean {
  return mode === BASE_MODE && !isBatch;
}

/** Without overrides and modes the rates depend on the pricing only, so they are cached. */
function baseRates(pricing: Pricing): AppliedRates {
  const known = rateCache.get(pricing);
  if (known !== undefined) return known;
  const rates: AppliedRates = {
    ...ratesOf(decimalsOf(pricing.prices), remainingShare(pricing)),
    base: pricing.prices,
    applied: { overrides: [], modes: [], priceMode: null, multiplier: ONE, discount: pricing.discount ?? 0 },
  };
  rateCache.set(pricing, rates);
  return rates;
}

const rateCache = new WeakMap<Pricing, AppliedRates>();

/** Of one pricing: more than the combinations of overrides and modes that requests have at a time. */
const MAX_KNOWN_RATES = 1_000;

/** By the indexes of what was applied. */
function knownRates(pricing: Pricing): Map<string, AppliedRates> {
  let known = appliedCache.get(pricing);
  if (known === undefined) {
    known = new Map();
    appliedCache.set(pricing, known);
  }
  return known;
}

const appliedCache = new WeakMap<Pricing, Map<string, AppliedRates>>();

function applicableModes(
  modes: readonly PriceMode[],
  { mode: words, isBatch, promptTokens }: RateConditions,
): readonly { readonly mode: PriceMode; readonly index: number }[] {
  return modes
    .map((mode, index) => ({ mode, index }))
    .filter(
      ({ mode }) =>
        (isBatch || !mode.isBatch) &&
        (mode.minPromptTokens === null || promptTokens > mode.minPromptTokens) &&
        MODE_KINDS.every((kind) => mode.words[kind] === undefined || mode.words[kind] === words[kind]),
    );
}

/** The union of their conditions, in the order of the kinds; null without any. */
function nameOf(modes: readonly PriceMode[]): string | null {
  if (modes.length === 0) return null;
  const words: Partial<Record<ModeKind, string>> = Object.assign({}, ...modes.map((mode) => mode.words));
  const names = MODE_KINDS.flatMap((kind) => (words[kind] === undefined ? [] : [`${kind}:${words[kind]}`]));
  return [...names, ...(modes.some(({ isBatch }) => isBatch) ? ['batch:true'] : [])].join('+');
}

/** Exact prices in USD. */
type Decimals = Readonly<Partial<Record<PriceKey, Decimal>>>;

/** The prices of the mode replace, then the multiplier multiplies every price per token. */
function inPriceMode(prices: Decimals, mode: PriceMode): Decimals {
  const replaced: Partial<Record<PriceKey, Decimal>> = { ...prices, ...decimalsOf(mode.prices) };
  const multiplier = multiplierOf(mode);
  for (const key of TOKEN_PRICE_KEYS) {
    const price = replaced[key];
    if (price !== undefined) replaced[key] = multiplyDecimals(price, multiplier);
  }
  return replaced;
}

function multiplierOf({ multiplier }: PriceMode): Decimal {
  return multiplier === null ? ONE : (readPrice(multiplier) ?? ONE);
}

function highestOf(prices: Decimals, others: Decimals): Decimals {
  const highest: Partial<Record<PriceKey, Decimal>> = { ...prices };
  for (const [key, price] of entriesOf(others)) {
    const known = highest[key];
    if (known === undefined || compareDecimals(price, known) > 0) highest[key] = price;
  }
  return highest;
}

function decimalsOf(prices: Prices): Decimals {
  return Object.fromEntries(Object.entries(prices).map(([key, text]) => [key, readPrice(text) ?? ZERO]));
}

function ratesOf(prices: Decimals, share: Decimal): Rates {
  const priced = entriesOf(prices);
  const scale = Math.max(NANO_DIGITS, ...priced.map(([, price]) => price.scale + share.scale));
  const units: Partial<Record<PriceKey, bigint>> = {};
  for (const [key, price] of priced) {
    units[key] = price.digits * share.digits * tenTo(scale - price.scale - share.scale);
  }
  return { units, unitsPerNanoUsd: tenTo(scale - NANO_DIGITS) };
}

function entriesOf(prices: Decimals): [PriceKey, Decimal][] {
  return Object.entries(prices) as [PriceKey, Decimal][];
}
