/** Random prices, overrides, discounts, counts and instants. */
import type {
  ModeKind,
  OverridePriceKey,
  PriceKey,
  PriceMode,
  Pricing,
  PricingOverride,
  TokenPriceKey,
} from '../../../src/catalog/types.js';
import {
  MODE_KINDS,
  OVERRIDE_PRICE_KEYS,
  PRICE_KEYS,
  TOKEN_PRICE_KEYS,
  WEEKDAYS,
} from '../../../src/catalog/types.js';
import type { Metered } from '../../../src/ledger/pricing/price.js';
import { dayOf, firstDayOf, minuteOf, monthOf, weekdayOf } from './calendar.js';
import type { SeededRandom } from './seeded-random.js';

const DAY_MS = 86_400_000;

/** `scaleUsd`: the maximum of the `request` price; 0 = no such price. */
export function randomPricing(
  random: SeededRandom,
  at: number,
  promptTokens: number,
  scaleUsd: number,
): Pricing {
  const own = PRICE_KEYS.filter((key) => key !== 'prompt' && key !== 'completion' && random.chance(0.4));
  const prices: Partial<Record<PriceKey, string>> = {};
  for (const key of own) prices[key] = randomPrice(random);
  if (scaleUsd > 0) prices.request = `${random.integer(0, scaleUsd)}.${random.integer(0, 999_999_999)}`;
  return {
    prices: { ...prices, prompt: randomPrice(random), completion: randomPrice(random) },
    discount: random.one([
      null,
      null,
      0,
      1,
      0.1,
      0.25,
      1e-7,
      random.integer(1, 999_999) / 1_000_000,
      random.fraction(),
    ]),
    overrides: Array.from({ length: random.magnitude(4) }, () => randomOverride(random, at, promptTokens)),
  };
}

/** Words of modes that requests ask for and hosts tell. */
export const MODE_WORDS = {
  service_tier: ['flex', 'priority', 'ultrafast'],
  speed: ['fast'],
  inference_geo: ['us', 'eu'],
} as const;

/** Words of the base, as hosts and clients write them. */
const BASE_WORDS = {
  service_tier: ['default', 'Standard', 'AUTO', 'ON_DEMAND', 'PROVISIONED_THROUGHPUT', 'reserved'],
  speed: ['standard'],
  inference_geo: ['global', 'not_available'],
} as const;

/** What a request asks for, or an answer says: nothing, the base or a mode, in any case. */
export function randomWords(random: SeededRandom): Partial<Record<ModeKind, string>> {
  const words: Partial<Record<ModeKind, string>> = {};
  for (const kind of MODE_KINDS) {
    if (random.chance(0.5)) continue;
    const known: readonly [string, ...string[]] = MODE_WORDS[kind];
    const base: readonly [string, ...string[]] = BASE_WORDS[kind];
    const word = random.chance(0.7) ? random.one([...known]) : random.one([...base]);
    words[kind] = random.chance(0.2) ? word.toUpperCase() : word;
  }
  return words;
}

export function randomModes(random: SeededRandom, promptTokens: number): PriceMode[] {
  return Array.from({ length: random.magnitude(6) }, () => randomMode(random, promptTokens));
}

function randomMode(random: SeededRandom, promptTokens: number): PriceMode {
  const prices: Partial<Record<TokenPriceKey, string>> = {};
  for (const key of TOKEN_PRICE_KEYS) if (random.chance(0.2)) prices[key] = randomPrice(random);
  const isBatch = random.chance(0.1);
  const needed: ModeKind | null = isBatch ? null : random.one([...MODE_KINDS]);
  return {
    words: {
      ...(needed !== null && { [needed]: random.one<string>([...MODE_WORDS[needed]]) }),
      ...(random.chance(0.6) && { service_tier: random.one(MODE_WORDS.service_tier) }),
      ...(random.chance(0.3) && { speed: random.one(MODE_WORDS.speed) }),
      ...(random.chance(0.3) && { inference_geo: random.one(MODE_WORDS.inference_geo) }),
    },
    isBatch,
    minPromptTokens: random.chance(0.2)
      ? random.one([random.magnitude(200_000), promptTokens, promptTokens - 1])
      : null,
    multiplier: random.chance(0.6)
      ? random.one(['0.5', '2', '1.1', '6', '0.000001', '100', `0.${random.integer(1, 999_999)}`])
      : null,
    prices,
  };
}

/** A decimal text with up to 15 decimals, often such that a few tokens cost half a nano-USD. */
function randomPrice(random: SeededRandom): string {
  const digits = random.integer(9, 15);
  const value = random.one([
    '0',
    '5',
    '0000005',
    String(random.magnitude(10 ** 6)),
    String(random.integer(0, 10 ** 6)),
  ]);
  const padded = value.padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`.replace(/0+$/, '').replace(/\.$/, '');
}

function randomOverride(random: SeededRandom, at: number, promptTokens: number): PricingOverride {
  const prices: Partial<Record<OverridePriceKey, string>> = {};
  for (const key of OVERRIDE_PRICE_KEYS) if (random.chance(0.4)) prices[key] = randomPrice(random);
  const days = WEEKDAYS.filter((_, index) => random.chance(index === weekdayOf(dayOf(at)) ? 0.7 : 0.4));
  return {
    prices,
    minPromptTokens: random.chance(0.4)
      ? random.one([random.magnitude(200_000), promptTokens, promptTokens - 1])
      : null,
    utcStart: random.chance(0.5) ? randomClock(random, at) : null,
    utcEnd: random.chance(0.5) ? (random.chance(0.1) ? 2400 : randomClock(random, at)) : null,
    utcDays: random.chance(0.4) && days.length > 0 ? days : null,
  };
}

/** A clock number, often next to the minute of the request. */
function randomClock(random: SeededRandom, at: number): number {
  const near = (minuteOf(at) + random.integer(-1, 1) + 1440) % 1440;
  const minute = random.chance(0.5) ? near : random.integer(0, 1439);
  return Math.floor(minute / 60) * 100 + (minute % 60);
}

/** The specific counts are disjoint, except cached audio, and do not exceed the general ones. */
export function randomMetered(random: SeededRandom): Metered {
  const part = () => (random.chance(0.5) ? 0 : random.magnitude(300_000));
  const [cachedAudioTokens, cachedText, cacheWrite1hTokens, shortWrites] = [part(), part(), part(), part()];
  const [freshAudio, imageTokens, reasoningTokens, completionAudioTokens] = [part(), part(), part(), part()];
  const imageOutputTokens = part();
  const [mediumSearches, highSearches] = [random.magnitude(5), random.magnitude(5)];
  const special =
    cachedAudioTokens + cachedText + cacheWrite1hTokens + shortWrites + freshAudio + imageTokens;
  return {
    promptTokens: special + random.magnitude(1_000_000),
    cachedTokens: cachedAudioTokens + cachedText,
    cacheWriteTokens: cacheWrite1hTokens + shortWrites,
    cacheWrite1hTokens,
    audioTokens: cachedAudioTokens + freshAudio,
    cachedAudioTokens,
    imageTokens,
    completionTokens: reasoningTokens + completionAudioTokens + imageOutputTokens + random.magnitude(100_000),
    reasoningTokens,
    completionAudioTokens,
    imageOutputTokens,
    images: random.chance(0.7) ? 0 : random.magnitude(20),
    outputImages: random.chance(0.7) ? 0 : random.magnitude(20),
    webSearches: mediumSearches + highSearches + random.magnitude(20),
    searchUnits: 0,
    mediumSearches,
    highSearches,
  };
}

/** A later instant: mostly soon, sometimes at the start of a day, a week, a month or a leap day, or far off. */
export function laterInstant(random: SeededRandom, now: number): number {
  const kind = random.fraction();
  if (kind < 0.7) return now + random.magnitude(600_000);
  if (kind < 0.9) return now + random.magnitude(8 * 3_600_000);
  if (kind < 0.99) return Math.max(now, nextEdge(random, now) + random.integer(-1, 1));
  return now + random.magnitude(40 * DAY_MS);
}

function nextEdge(random: SeededRandom, now: number): number {
  const day = dayOf(now);
  const month = monthOf(day);
  const monday = day + 7 - weekdayOf(day);
  const leapDay = firstDayOf(month) + 28;
  const days = random.one([
    day + 1,
    day + 1,
    monday,
    firstDayOf(month + 1),
    leapDay > day ? leapDay : day + 1,
  ]);
  return days * DAY_MS;
}
