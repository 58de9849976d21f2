/**
 * What a request costs at list price, exactly, and the most that it may cost before it is made. Pure. See
 * `docs/money.md#what-is-billed-at-what`.
 */
import type { NanoUsd } from '../../base/money.js';
import type { PriceKey, Pricing } from '../../catalog/types.js';
import { AT_BASE, type BilledMode, maxRates, type Rates, ratesUnder } from './rates.js';

/** Counts are integers >= 0; `promptTokens` and `completionTokens` include the more specific counts. */
export interface Metered {
  readonly promptTokens: number;
  /** Tokens of the prompt that were read from a cache. */
  readonly cachedTokens: number;
  /** Tokens of the prompt that were written to a cache, for however long. */
  readonly cacheWriteTokens: number;
  /** The part of the cache writes that is kept for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Audio in the prompt. */
  readonly audioTokens: number;
  /** Audio that was read from a cache; included in `cachedTokens` too. */
  readonly cachedAudioTokens: number;
  /** Images in the prompt. */
  readonly imageTokens: number;
  readonly completionTokens: number;
  /** Reasoning in the completion. */
  readonly reasoningTokens: number;
  /** Audio in the completion. */
  readonly completionAudioTokens: number;
  /** Of the completion, images. */
  readonly imageOutputTokens: number;
  /** Input images, billed by the piece. */
  readonly images: number;
  /** Images of the answer, billed by the piece. */
  readonly outputImages: number;
  readonly webSearches: number;
  /** Of the searches, those with a context of medium size, and of large size. */
  readonly mediumSearches: number;
  readonly highSearches: number;
  /** How often the price of a request is billed for a reranking; 0 = once, as for every other request. */
  readonly searchUnits: number;
}

/** Each rounded half up once. Requests, images and searches are in the total only. */
export interface ListPrice {
  readonly totalNanoUsd: NanoUsd;
  readonly promptNanoUsd: NanoUsd;
  readonly completionNanoUsd: NanoUsd;
}

/** The cost of a request made at `at` (Unix milliseconds), after overrides, modes and discount. */
export function listPrice(
  pricing: Pricing,
  metered: Metered,
  at: number,
  { mode, isBatch }: BilledMode = AT_BASE,
): ListPrice {
  const { promptTokens } = metered;
  return priceAt(ratesUnder(pricing, { mode, isBatch, promptTokens, at }), metered);
}

/** The cost at these rates. */
export function priceAt(rates: Rates, metered: Metered): ListPrice {
  const prompt = costOfKinds(rates, metered, metered.promptTokens, 'prompt', PROMPT_KINDS);
  const completion = costOfKinds(rates, metered, metered.completionTokens, 'completion', COMPLETION_KINDS);
  const searches = costOfKinds(rates, metered, metered.webSearches, 'web_search', SEARCH_KINDS);
  const total = prompt + completion + searches + flatCost(rates, metered);
  return {
    totalNanoUsd: nanoUsdOf(total, rates),
    promptNanoUsd: nanoUsdOf(prompt, rates),
    completionNanoUsd: nanoUsdOf(completion, rates),
  };
}

/** Upper bounds on what is metered of a request. */
export interface MaxUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  readonly outputImages: number;
  /** Whether the prompt contains audio, or audio is requested. */
  readonly hasAudio: boolean;
  /**
   * Whether the prompt contains documents, other files or videos: any of their tokens may be billed as image or audio.
   */
  readonly hasFiles: boolean;
  /** The longest that a part of the prompt may be written to a cache for. */
  readonly cacheWrites: CacheWrites;
  readonly webSearches: number;
  readonly searchUnits: number;
}

export type CacheWrites = 'none' | 'short' | 'hour';

/**
 * The list price if every token is of the most expensive kind that the request can have, under the highest override, in
 * the dearest of the modes that it may be billed in.
 */
export function maxCostAt(
  pricing: Pricing,
  maxUsage: MaxUsage,
  at: number,
  modes: readonly BilledMode[] = BASE_ALONE,
): NanoUsd {
  const { promptTokens } = maxUsage;
  let max = 0n;
  for (const { mode, isBatch } of modes) {
    const cost = maxCostOf(maxRates(pricing, { mode, isBatch, promptTokens, at }), maxUsage);
    if (cost > max) max = cost;
  }
  return max;
}

const BASE_ALONE: readonly BilledMode[] = [AT_BASE];

function maxCostOf(rates: Rates, maxUsage: MaxUsage): NanoUsd {
  const { promptTokens, completionTokens, images, hasAudio, hasFiles, cacheWrites } = maxUsage;
  let promptKey = maxRateKey(rates, 'prompt', CACHE_KEYS[cacheWrites]);
  let completionKey = maxRateKey(rates, 'completion', COMPLETION_KEYS);
  if (images > 0 || hasFiles) promptKey = maxRateKey(rates, promptKey, IMAGE_KEYS);
  if (hasAudio || hasFiles) promptKey = maxRateKey(rates, promptKey, AUDIO_KEYS);
  if (hasAudio) completionKey = maxRateKey(rates, completionKey, AUDIO_OUTPUT_KEYS);
  const tokens = times(rates, promptKey, promptTokens) + times(rates, completionKey, completionTokens);
  const searches = times(rates, maxRateKey(rates, 'web_search', SEARCH_KEYS), maxUsage.webSearches);
  return nanoUsdOf(tokens + searches + flatCost(rates, maxUsage), rates);
}

/** What of the prompt, the completion or the searches is billed at the first of these prices that exists. */
interface Kind {
  count(metered: Metered): number;
  readonly keys: readonly [PriceKey, ...PriceKey[]];
}

const PROMPT_KINDS: readonly Kind[] = [
  {
    count: ({ cachedAudioTokens }) => cachedAudioTokens,
    keys: ['input_audio_cache', 'input_cache_read', 'audio'],
  },
  {
    count: ({ cachedTokens, cachedAudioTokens }) => cachedTokens - cachedAudioTokens,
    keys: ['input_cache_read'],
  },
  {
    count: ({ cacheWrite1hTokens }) => cacheWrite1hTokens,
    keys: ['input_cache_write_1h', 'input_cache_write'],
  },
  {
    count: ({ cacheWriteTokens, cacheWrite1hTokens }) => cacheWriteTokens - cacheWrite1hTokens,
    keys: ['input_cache_write'],
  },
  { count: ({ audioTokens, cachedAudioTokens }) => audioTokens - cachedAudioTokens, keys: ['audio'] },
  { count: ({ imageTokens }) => imageTokens, keys: ['image_token'] },
];

const COMPLETION_KINDS: readonly Kind[] = [
  { count: ({ reasoningTokens }) => reasoningTokens, keys: ['internal_reasoning'] },
  { count: ({ completionAudioTokens }) => completionAudioTokens, keys: ['audio_output'] },
  { count: ({ imageOutputTokens }) => imageOutputTokens, keys: ['image_output_token'] },
];

const SEARCH_KINDS: readonly Kind[] = [
  { count: ({ highSearches }) => highSearches, keys: ['web_search_high'] },
  { count: ({ mediumSearches }) => mediumSearches, keys: ['web_search_medium'] },
];

/** What is billed by kinds, and the price of what has none of its own. */
export const SIDES: readonly {
  whole(metered: Metered): number;
  readonly restKey: PriceKey;
  readonly kinds: readonly Kind[];
}[] = [
  { whole: ({ promptTokens }) => promptTokens, restKey: 'prompt', kinds: PROMPT_KINDS },
  { whole: ({ completionTokens }) => completionTokens, restKey: 'completion', kinds: COMPLETION_KINDS },
  { whole: ({ webSearches }) => webSearches, restKey: 'web_search', kinds: SEARCH_KINDS },
];

/** Bills the kinds that have a price, then the rest at the general price; never more than there is. */
function costOfKinds(
  rates: Rates,
  metered: Metered,
  whole: number,
  restKey: PriceKey,
  kinds: readonly Kind[],
): bigint {
  let rest = whole;
  let cost = 0n;
  for (const kind of kinds) {
    const billed = Math.min(kind.count(metered), rest);
    if (billed <= 0) continue;
    const key = pricedBy(rates.units, kind);
    if (key === undefined) continue;
    rest -= billed;
    cost += times(rates, key, billed);
  }
  return cost + times(rates, restKey, rest);
}

/** The price that the kind is billed at; undefined = the general one. */
export function pricedBy(
  prices: Readonly<Partial<Record<PriceKey, unknown>>>,
  { keys }: Kind,
): PriceKey | undefined {
  return keys.find((candidate) => prices[candidate] !== undefined);
}

/** The prices that what has this one may be billed at, the first that stands. */
export function fallbacksOf(key: PriceKey): readonly PriceKey[] {
  for (const { restKey, kinds } of SIDES) {
    const kind = kinds.find(({ keys }) => keys[0] === key);
    if (kind !== undefined) return [...kind.keys, restKey];
  }
  return [key];
}

/** What is billed by the piece, in units of the rates. */
function flatCost(rates: Rates, metered: Pick<Metered, 'images' | 'outputImages' | 'searchUnits'>): bigint {
  return (
    times(rates, 'request', requestsBilled(metered)) +
    times(rates, 'image', metered.images) +
    times(rates, 'image_output', metered.outputImages)
  );
}

/** How often the price of a request is billed. */
export function requestsBilled({ searchUnits }: Pick<Metered, 'searchUnits'>): number {
  return Math.max(1, searchUnits);
}

/** The cost of `count` at the price under the key, in units of the rates; 0 without such a price. */
function times({ units }: Rates, key: PriceKey, count: number): bigint {
  const rate = units[key];
  return rate === undefined || count === 0 ? 0n : rate * BigInt(count);
}

/** Prices of tokens that are read from a cache or written to one. */
const CACHE_KEYS: Readonly<Record<CacheWrites, readonly PriceKey[]>> = {
  none: ['input_cache_read'],
  short: ['input_cache_read', 'input_cache_write'],
  hour: ['input_cache_read', 'input_cache_write', 'input_cache_write_1h'],
};

/** Prices of tokens that any answer may have. */
const COMPLETION_KEYS: readonly PriceKey[] = ['internal_reasoning', 'image_output_token'];
const SEARCH_KEYS: readonly PriceKey[] = ['web_search_medium', 'web_search_high'];

/** Prices of tokens that only some requests have. */
const AUDIO_KEYS: readonly PriceKey[] = ['audio', 'input_audio_cache'];
const AUDIO_OUTPUT_KEYS: readonly PriceKey[] = ['audio_output'];
const IMAGE_KEYS: readonly PriceKey[] = ['image_token'];

function maxRateKey({ units }: Rates, key: PriceKey, others: readonly PriceKey[]): PriceKey {
  let max = key;
  for (const other of others) {
    if ((units[other] ?? 0n) > (units[max] ?? 0n)) max = other;
  }
  return max;
}

/** Rounded half up. Costs are never negative. */
function nanoUsdOf(units: bigint, { unitsPerNanoUsd }: Rates): NanoUsd {
  if (unitsPerNanoUsd === 1n) return units;
  return (2n * units + unitsPerNanoUsd) / (2n * unitsPerNanoUsd);
}
