/** Random requests: prices, overrides, discounts, counts and what the clock does meanwhile. */
import type { OverridePriceKey, PriceKey, Pricing, PricingOverride } from '../../../src/catalog/types.js';
import { OVERRIDE_PRICE_KEYS, PRICE_KEYS, WEEKDAYS } from '../../../src/catalog/types.js';
import type { Metered } from '../../../src/ledger/price.js';
import { dayOf, firstDayOf, minuteOf, monthOf, weekdayOf } from './calendar.js';
import type { Dice } from './dice.js';

const DAY_MS = 86_400_000;

/** `scaleUsd`: what a request may cost by its `request` price alone; 0 = what tokens cost. */
export function randomPricing(dice: Dice, at: number, promptTokens: number, scaleUsd: number): Pricing {
  const own = PRICE_KEYS.filter((key) => key !== 'prompt' && key !== 'completion' && dice.chance(0.4));
  const prices: Partial<Record<PriceKey, string>> = {};
  for (const key of own) prices[key] = randomPrice(dice);
  if (scaleUsd > 0) prices.request = `${dice.integer(0, scaleUsd)}.${dice.integer(0, 999_999_999)}`;
  return {
    prices: { ...prices, prompt: randomPrice(dice), completion: randomPrice(dice) },
    discount: dice.one([
      null,
      null,
      0,
      1,
      0.1,
      0.25,
      1e-7,
      dice.integer(1, 999_999) / 1_000_000,
      dice.fraction(),
    ]),
    overrides: Array.from({ length: dice.magnitude(4) }, () => randomOverride(dice, at, promptTokens)),
  };
}

/** A decimal text with up to 15 digits after its point, often such that a few tokens come to half a nano-USD. */
function randomPrice(dice: Dice): string {
  const digits = dice.integer(9, 15);
  const value = dice.one([
    '0',
    '5',
    '0000005',
    String(dice.magnitude(10 ** 6)),
    String(dice.integer(0, 10 ** 6)),
  ]);
  const padded = value.padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`.replace(/0+$/, '').replace(/\.$/, '');
}

function randomOverride(dice: Dice, at: number, promptTokens: number): PricingOverride {
  const prices: Partial<Record<OverridePriceKey, string>> = {};
  for (const key of OVERRIDE_PRICE_KEYS) if (dice.chance(0.4)) prices[key] = randomPrice(dice);
  const days = WEEKDAYS.filter((_, index) => dice.chance(index === weekdayOf(dayOf(at)) ? 0.7 : 0.4));
  return {
    prices,
    minPromptTokens: dice.chance(0.4)
      ? dice.one([dice.magnitude(200_000), promptTokens, promptTokens - 1])
      : null,
    utcStart: dice.chance(0.5) ? randomClock(dice, at) : null,
    utcEnd: dice.chance(0.5) ? (dice.chance(0.1) ? 2400 : randomClock(dice, at)) : null,
    utcDays: dice.chance(0.4) && days.length > 0 ? days : null,
  };
}

/** A clock number, often right at the request's own minute. */
function randomClock(dice: Dice, at: number): number {
  const near = (minuteOf(at) + dice.integer(-1, 1) + 1440) % 1440;
  const minute = dice.chance(0.5) ? near : dice.integer(0, 1439);
  return Math.floor(minute / 60) * 100 + (minute % 60);
}

/** Parts are disjoint but for cached audio, and fit into their wholes. */
export function randomMetered(dice: Dice): Metered {
  const part = () => (dice.chance(0.5) ? 0 : dice.magnitude(300_000));
  const [cachedAudioTokens, cachedText, cacheWrite1hTokens, shortWrites] = [part(), part(), part(), part()];
  const [freshAudio, imageTokens, reasoningTokens, completionAudioTokens] = [part(), part(), part(), part()];
  const special =
    cachedAudioTokens + cachedText + cacheWrite1hTokens + shortWrites + freshAudio + imageTokens;
  return {
    promptTokens: special + dice.magnitude(1_000_000),
    cachedTokens: cachedAudioTokens + cachedText,
    cacheWriteTokens: cacheWrite1hTokens + shortWrites,
    cacheWrite1hTokens,
    audioTokens: cachedAudioTokens + freshAudio,
    cachedAudioTokens,
    imageTokens,
    completionTokens: reasoningTokens + completionAudioTokens + dice.magnitude(100_000),
    reasoningTokens,
    completionAudioTokens,
    images: dice.chance(0.7) ? 0 : dice.magnitude(20),
    outputImages: dice.chance(0.7) ? 0 : dice.magnitude(20),
    webSearches: dice.chance(0.7) ? 0 : dice.magnitude(20),
  };
}

/** A later instant: mostly soon, at times right at an edge of a day, a week, a month or a leap day, or far off. */
export function laterInstant(dice: Dice, now: number): number {
  const kind = dice.fraction();
  if (kind < 0.7) return now + dice.magnitude(600_000);
  if (kind < 0.9) return now + dice.magnitude(8 * 3_600_000);
  if (kind < 0.99) return Math.max(now, nextEdge(dice, now) + dice.integer(-1, 1));
  return now + dice.magnitude(40 * DAY_MS);
}

function nextEdge(dice: Dice, now: number): number {
  const day = dayOf(now);
  const month = monthOf(day);
  const monday = day + 7 - weekdayOf(day);
  const leapDay = firstDayOf(month) + 28;
  const days = dice.one([day + 1, day + 1, monday, firstDayOf(month + 1), leapDay > day ? leapDay : day + 1]);
  return days * DAY_MS;
}
