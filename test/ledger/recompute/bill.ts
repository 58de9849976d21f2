/** What a request must cost, implemented again from the rules in `docs/money.md`. */
import type { ModeKind, PriceKey, PriceMode, Pricing, PricingOverride } from '../../../src/catalog/types.js';
import type { Metered } from '../../../src/ledger/pricing/price.js';
import { dayOf, minuteOf, weekdayOf } from './calendar.js';
import {
  halfUp,
  integer,
  minus,
  nanoUsd,
  ONE,
  plus,
  type Rational,
  rational,
  times,
  ZERO,
} from './rational.js';

export interface Bill {
  readonly totalNanoUsd: bigint;
  readonly promptNanoUsd: bigint;
  readonly completionNanoUsd: bigint;
}

/** In which mode a request was served: words that are not of the base. */
export interface Served {
  readonly words: Readonly<Partial<Record<ModeKind, string>>>;
  readonly isBatch: boolean;
}

const SERVED_AT_BASE: Served = { words: {}, isBatch: false };

const USUAL =
  'default standard standard_only auto on_demand global not_available reserved provisioned_throughput'.split(
    ' ',
  );

/** What the answer says of each, else what was asked; the usual is no mode. */
export function servedBy(asked: Served['words'], given: Served['words']): Served {
  const told = Object.entries({ ...asked, ...given }).map(
    ([kind, word]) => [kind, word.toLowerCase()] as const,
  );
  return { words: Object.fromEntries(told.filter(([, word]) => !USUAL.includes(word))), isBatch: false };
}

/**
 * At list price. The specific counts of `metered` must be disjoint, except cached audio, and not exceed the general
 * ones.
 */
export function billFor(
  pricing: Pricing,
  metered: Metered,
  at: number,
  served: Served = SERVED_AT_BASE,
): Bill {
  const price = (key: PriceKey) => priceOf(key, pricing, { promptTokens: metered.promptTokens, at, served });
  const { prompt, completion, pieces } = countsOf(metered);
  const sum = (counts: readonly Count[]) =>
    counts.map(([count, ...keys]) => line(price, count, keys)).reduce(plus, ZERO);
  const left = minus(ONE, rational(String(pricing.discount ?? 0)));
  return {
    totalNanoUsd: nanoUsd(times(sum([...prompt, ...completion, ...pieces]), left)),
    promptNanoUsd: nanoUsd(times(sum(prompt), left)),
    completionNanoUsd: nanoUsd(times(sum(completion), left)),
  };
}

/** What is billed at one price. */
export interface PricedCount {
  readonly key: PriceKey;
  readonly quantity: number;
  readonly unit: Rational;
  readonly base: Rational;
  /** What has no price of its own. */
  readonly includes: readonly { readonly key: PriceKey; readonly quantity: number }[];
  readonly isPiece: boolean;
}

/** The counts of which the bill is the sum, each price once. */
export function linesFor(
  pricing: Pricing,
  metered: Metered,
  at: number,
  served: Served = SERVED_AT_BASE,
): PricedCount[] {
  const price = (key: PriceKey) => priceOf(key, pricing, { promptTokens: metered.promptTokens, at, served });
  const left = minus(ONE, rational(String(pricing.discount ?? 0)));
  const lines = new Map<PriceKey, PricedCount>();
  const counts = countsOf(metered);
  const all = [...counts.prompt, ...counts.completion, ...counts.pieces];
  for (const [count, ...keys] of all) {
    const key = keys.find((one) => price(one) !== undefined);
    if (count === 0 || key === undefined) continue;
    const known = lines.get(key);
    const own = keys[0] ?? key;
    const part = own === key ? [] : [{ key: own, quantity: count }];
    const chain = all.find(([, first]) => first === key)?.slice(1) as PriceKey[];
    const base = chain.map((one) => pricing.prices[one]).find((text) => text !== undefined);
    lines.set(key, {
      key,
      quantity: (known?.quantity ?? 0) + count,
      unit: times(price(key) ?? ZERO, left),
      base: rational(base ?? '0'),
      includes: [...(known?.includes ?? []), ...part],
      isPiece: NOT_PER_TOKEN.includes(key),
    });
  }
  return [...lines.values()];
}

/** A count, and the prices that it may have, the first that stands. */
type Count = readonly [number, ...PriceKey[]];

function countsOf(metered: Metered): Record<'prompt' | 'completion' | 'pieces', readonly Count[]> {
  const cachedText = metered.cachedTokens - metered.cachedAudioTokens;
  const freshAudio = metered.audioTokens - metered.cachedAudioTokens;
  const shortWrites = metered.cacheWriteTokens - metered.cacheWrite1hTokens;
  const special = metered.cachedTokens + metered.cacheWriteTokens + freshAudio + metered.imageTokens;
  return {
    prompt: [
      [metered.cachedAudioTokens, 'input_audio_cache', 'input_cache_read', 'audio', 'prompt'],
      [cachedText, 'input_cache_read', 'prompt'],
      [metered.cacheWrite1hTokens, 'input_cache_write_1h', 'input_cache_write', 'prompt'],
      [shortWrites, 'input_cache_write', 'prompt'],
      [freshAudio, 'audio', 'prompt'],
      [metered.imageTokens, 'image_token', 'prompt'],
      [metered.promptTokens - special, 'prompt'],
    ],
    completion: [
      [metered.reasoningTokens, 'internal_reasoning', 'completion'],
      [metered.completionAudioTokens, 'audio_output', 'completion'],
      [metered.imageOutputTokens, 'image_output_token', 'completion'],
      [
        metered.completionTokens -
          metered.reasoningTokens -
          metered.completionAudioTokens -
          metered.imageOutputTokens,
        'completion',
      ],
    ],
    pieces: [
      [Math.max(1, metered.searchUnits), 'request'],
      [metered.images, 'image'],
      [metered.outputImages, 'image_output'],
      [metered.webSearches - metered.mediumSearches - metered.highSearches, 'web_search'],
      [metered.mediumSearches, 'web_search_medium', 'web_search'],
      [metered.highSearches, 'web_search_high', 'web_search'],
    ],
  };
}

/** Indexes of the overrides that apply. */
export function appliedOverrides(
  { overrides }: Pricing,
  { promptTokens }: Metered,
  at: number,
): readonly number[] {
  return overrides.flatMap((override, index) => (isApplicable(override, promptTokens, at) ? [index] : []));
}

const ALLOWANCE_USD = { pay_as_you_go: 25_000, enterprise: 200_000 };

/** 5 percent of the cost above the month's free allowance, of which `usedNanoUsd` was used before. */
export function feeFor(plan: keyof typeof ALLOWANCE_USD, usedNanoUsd: bigint, costNanoUsd: bigint): bigint {
  const allowance = BigInt(ALLOWANCE_USD[plan]) * 1_000_000_000n;
  const above = (used: bigint) => (used > allowance ? used - allowance : 0n);
  const charged = above(usedNanoUsd + costNanoUsd) - above(usedNanoUsd);
  return halfUp(times(integer(charged), rational('0.05')));
}

/** What is left of the month's free allowance, of which `usedNanoUsd` was used. */
export function allowanceLeft(plan: keyof typeof ALLOWANCE_USD, usedNanoUsd: bigint): bigint {
  const left = BigInt(ALLOWANCE_USD[plan]) * 1_000_000_000n - usedNanoUsd;
  return left < 0n ? 0n : left;
}

function line(
  price: (key: PriceKey) => Rational | undefined,
  count: number,
  keys: readonly PriceKey[],
): Rational {
  for (const key of keys) {
    const found = price(key);
    if (found !== undefined) return times(found, integer(count));
  }
  return ZERO;
}

interface Circumstances {
  readonly promptTokens: number;
  readonly at: number;
  readonly served: Served;
}

/** From the last applicable override that has the key, else the base price; then what each mode makes of it. */
function priceOf(
  key: PriceKey,
  { prices, overrides, modes = [] }: Pricing,
  { promptTokens, at, served }: Circumstances,
): Rational | undefined {
  const applicable = overrides.filter((override) => isApplicable(override, promptTokens, at));
  const having = applicable
    .map((override): Pricing['prices'] | object => override.prices)
    .filter((own) => key in own);
  const found: unknown = Reflect.get(having.at(-1) ?? prices, key);
  let price = typeof found === 'string' ? rational(found) : undefined;
  for (const mode of modes) {
    if (!isServedIn(mode, served, promptTokens)) continue;
    const own: unknown = Reflect.get(mode.prices, key);
    if (typeof own === 'string') price = rational(own);
    if (price !== undefined && !NOT_PER_TOKEN.includes(key)) {
      price = times(price, rational(mode.multiplier ?? '1'));
    }
  }
  return price;
}

/** What is billed by the piece costs the same in every mode. */
const NOT_PER_TOKEN: readonly PriceKey[] = [
  'request',
  'image',
  'image_output',
  'web_search',
  'web_search_medium',
  'web_search_high',
];

function isServedIn(mode: PriceMode, { words, isBatch }: Served, promptTokens: number): boolean {
  const demanded = Object.entries(mode.words);
  if (!demanded.every(([kind, word]) => Reflect.get(words, kind) === word)) return false;
  if (mode.isBatch && !isBatch) return false;
  return mode.minPromptTokens === null || mode.minPromptTokens < promptTokens;
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function isApplicable(override: PricingOverride, promptTokens: number, at: number): boolean {
  const { minPromptTokens, utcDays, utcStart, utcEnd } = override;
  const isLong = minPromptTokens === null || promptTokens > minPromptTokens;
  const isListed = utcDays === null || utcDays.map((day) => DAYS.indexOf(day)).includes(weekdayOf(dayOf(at)));
  const [from, until] = [minutes(utcStart ?? 0), minutes(utcEnd ?? 2400)];
  const length = from > until ? until + 1440 - from : until - from;
  return isLong && isListed && (minuteOf(at) + 1440 - from) % 1440 < length;
}

function minutes(clock: number): number {
  return Math.floor(clock / 100) * 60 + (clock % 100);
}
