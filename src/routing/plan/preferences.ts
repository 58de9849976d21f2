/**
 * The `provider` member of a request: its default and the rules for its values. See
 * docs/routing.md#preferences-of-a-request.
 */
import { type Decimal, parseDecimal } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import type { MaxPrice, ProviderPreferences } from '../types.js';

/** The preferences of a request without a `provider` member. */
export const noPreferences: ProviderPreferences = {
  order: null,
  only: null,
  ignore: null,
  allowFallbacks: true,
  requireParameters: false,
  dataCollection: null,
  zdr: false,
  quantizations: null,
  sort: null,
  maxPrice: null,
};

/** The requested order; null when none is given. */
export function requestedOrder({ order }: ProviderPreferences): readonly string[] | null {
  return order === null || order.length === 0 ? null : order;
}

/** Names in each list of the preferences; far above the number of providers. */
export const MAX_LISTED_NAMES = 100;

/** Length of a price as a string; far above any real one. */
const MAX_PRICE_CHARACTERS = 64;

/** `max_price` as sent: numbers or decimal strings; null and undefined = no maximum. */
export type SentMaxPrice = { readonly [Kind in keyof MaxPrice]?: number | string | null };

/** Parses `max_price`; violations name fields like `provider.max_price.prompt`. */
export function parseMaxPrice(sent: SentMaxPrice): { maxPrice: MaxPrice; violations: readonly Violation[] } {
  const violations: Violation[] = [];
  const read = (kind: keyof MaxPrice): Decimal | null => {
    const value = sent[kind] ?? null;
    if (value === null) return null;
    const text = String(value);
    const price = text.length > MAX_PRICE_CHARACTERS ? undefined : parseDecimal(text);
    const field = `provider.max_price.${kind}`;
    if (price === undefined) violations.push({ field, rule: 'decimal', message: 'must be a decimal number' });
    else if (price.digits < 0n) violations.push({ field, rule: 'range', message: 'must not be negative' });
    return price ?? null;
  };
  const maxPrice = {
    prompt: read('prompt'),
    completion: read('completion'),
    request: read('request'),
    image: read('image'),
  };
  return { maxPrice, violations };
}

/** All violations of the lists: at most `MAX_LISTED_NAMES` entries, none of them empty. */
export function preferenceViolations(preferences: ProviderPreferences): readonly Violation[] {
  if (preferences === noPreferences) return [];
  const { order, only, ignore, quantizations } = preferences;
  return Object.entries({ order, only, ignore, quantizations }).flatMap(([name, entries]) =>
    entries === null ? [] : listViolations(`provider.${name}`, entries),
  );
}

function listViolations(field: string, entries: readonly string[]): readonly Violation[] {
  if (entries.length > MAX_LISTED_NAMES) {
    return [{ field, rule: 'count', message: `must have at most ${MAX_LISTED_NAMES} entries` }];
  }
  return entries.flatMap((entry, index) =>
    entry === '' ? [{ field: `${field}[${index}]`, rule: 'length', message: 'must not be empty' }] : [],
  );
}
