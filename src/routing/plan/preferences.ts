/** The `provider` member of a request: its neutral form and the rules that its values must keep (interface section 6). */
import { type Decimal, parseDecimal } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import type { MaxPrice, ProviderPreferences } from '../types.js';

/** What a request without a `provider` member prefers. */
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

/** Names that each list of the preferences may hold; far beyond the number of providers. */
export const MAX_LISTED_NAMES = 100;

/** Characters that a price may have as a text; far beyond any real one. */
const MAX_PRICE_CHARACTERS = 64;

/** `max_price` as sent: numbers or decimal texts; null and undefined = no bound. */
export type SentMaxPrice = { readonly [Kind in keyof MaxPrice]?: number | string | null };

/** The bounds of `max_price`, or every rule that they break (fields like `provider.max_price.prompt`). */
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

/** Every rule that the lists break: at most `MAX_LISTED_NAMES` entries, none of them empty. */
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
