import type { JsonReader, MemberLookup } from '../input/json-reader.js';
import {
  OVERRIDE_PRICE_KEYS,
  type OverridePriceKey,
  PRICE_KEYS,
  type PriceKey,
  type Pricing,
  type PricingOverride,
  WEEKDAYS,
} from '../types.js';

const PRICING_MEMBERS = [...PRICE_KEYS, 'discount', 'overrides'];
const CONDITIONS = ['min_prompt_tokens', 'utc_start', 'utc_end', 'utc_days'];
const OVERRIDE_MEMBERS = [...OVERRIDE_PRICE_KEYS, ...CONDITIONS];

/** Prices are decimal strings or numbers, in USD. */
export function readPricing(at: JsonReader): Pricing {
  const member = at.object(PRICING_MEMBERS);
  return {
    prices: {
      ...readPrices<PriceKey>(member, PRICE_KEYS),
      prompt: member('prompt').price(),
      completion: member('completion').price(),
    },
    discount: member('discount').orNull((number) => number.number(0, 1)),
    overrides: member('overrides').orNull((list) => list.list(readOverride)) ?? [],
  };
}

/** Those of the keys that are there, but for `prompt` and `completion`. */
export function readPrices<K extends PriceKey>(
  member: MemberLookup,
  keys: readonly K[],
): Partial<Record<K, string>> {
  const prices: Partial<Record<K, string>> = {};
  for (const key of keys) {
    if (key === 'prompt' || key === 'completion') continue;
    const price = member(key).orNull((value) => value.price());
    if (price !== null) prices[key] = price;
  }
  return prices;
}

function readOverride(at: JsonReader): PricingOverride {
  const member = at.object(OVERRIDE_MEMBERS);
  const prompt = member('prompt').orNull((value) => value.price());
  const completion = member('completion').orNull((value) => value.price());
  const utcStart = member('utc_start').orNull(readClockNumber);
  const utcEnd = member('utc_end').orNull(readClockNumber);
  if ((utcStart === null) !== (utcEnd === null)) {
    member(utcStart === null ? 'utc_start' : 'utc_end').violation(
      'incomplete_window',
      'is missing beside its other half',
    );
  }
  return {
    prices: {
      ...(prompt === null ? {} : { prompt }),
      ...(completion === null ? {} : { completion }),
      ...readPrices<OverridePriceKey>(member, OVERRIDE_PRICE_KEYS),
    },
    minPromptTokens: member('min_prompt_tokens').orNull((number) =>
      number.number(0, Number.MAX_SAFE_INTEGER),
    ),
    utcStart,
    utcEnd,
    utcDays: member('utc_days').orNull(readDays),
  };
}

function readClockNumber(at: JsonReader): number {
  const number = at.integer(0);
  if (number > 2359 || number % 100 > 59) at.violation('clock', 'must be a clock number HHMM from 0 to 2359');
  return number;
}

function readDays(at: JsonReader): Pricing['overrides'][number]['utcDays'] {
  const days = at.list((day) => day.oneOf(WEEKDAYS));
  if (Array.isArray(at.value) && days.length === 0) at.violation('empty', 'must name at least one day');
  return days;
}
