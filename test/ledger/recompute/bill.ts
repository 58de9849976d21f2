/** What a request must cost, implemented again from the rules in `docs/money.md`. */
import type { ModeKind, PriceKey, PriceMode, Pricing, PricingOverride } from '../../../src/catalog/types.js';
import type { Metered } from '../../../src/ledger/price.js';
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
  const sum = (...lines: [number, ...PriceKey[]][]) =>
    lines.map(([count, ...keys]) => line(price, count, keys)).reduce(plus, ZERO);
  const cachedText = metered.cachedTokens - metered.cachedAudioTokens;
  const freshAudio = metered.audioTokens - metered.cachedAudioTokens;
  const shortWrites = metered.cacheWriteTokens - metered.cacheWrite1hTokens;
  const special = metered.cachedTokens + metered.cacheWriteTokens + freshAudio + metered.imageTokens;
  const prompt = sum(
    [metered.cachedAudioTokens, 'input_audio_cache', 'input_cache_read', 'audio', 'prompt'],
    [cachedText, 'input_cache_read', 'prompt'],
    [metered.cacheWrite1hTokens, 'input_cache_write_1h', 'input_cache_write', 'prompt'],
    [shortWrites, 'input_cache_write', 'prompt'],
    [freshAudio, 'audio', 'prompt'],
    [metered.imageTokens, 'image_token', 'prompt'],
    [metered.promptTokens - special, 'prompt'],
  );
  const completion = sum(
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
  );
  const flat = sum(
    [1, 'request'],
    [metered.images, 'image'],
    [metered.outputImages, 'image_output'],
    [metered.webSearches - metered.mediumSearches - metered.highSearches, 'web_search'],
    [metered.mediumSearches, 'web_search_medium', 'web_search'],
    [metered.highSearches, 'web_search_high', 'web_search'],
  );
  const left = minus(ONE, rational(String(pricing.discount ?? 0)));
  return {
    totalNanoUsd: nanoUsd(times(plus(plus(prompt, completion), flat), left)),
    promptNanoUsd: nanoUsd(times(prompt, left)),
    completionNanoUsd: nanoUsd(times(completion, left)),
  };
}

const ALLOWANCE_USD = { pay_as_you_go: 25_000, enterprise: 200_000 };

/** 5 percent of the cost above the month's free allowance, of which `usedNanoUsd` was used before. */
export function feeFor(plan: keyof typeof ALLOWANCE_USD, usedNanoUsd: bigint, costNanoUsd: bigint): bigint {
  const allowance = BigInt(ALLOWANCE_USD[plan]) * 1_000_000_000n;
  const above = (used: bigint) => (used > allowance ? used - allowance : 0n);
  const charged = above(usedNanoUsd + costNanoUsd) - above(usedNanoUsd);
  return halfUp(times(integer(charged), rational('0.05')));
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
