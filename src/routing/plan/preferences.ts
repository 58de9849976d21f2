/**
 * The members of a request that decide its route, and the rules for their values. See
 * docs/routing.md#preferences-of-a-request.
 */
import { type Decimal, NANO_DIGITS, type NanoUsd, parseDecimal, parseUsd } from '../../base/money.js';
import { namesIt, patternViolation } from '../../base/name-pattern.js';
import type { Violation } from '../../base/problem.js';
import type { RoutingMembers, SentMaxPrice, SentPreferences } from '../../formats/routing-members.js';
import type { MaxPrice, ProviderPreferences } from '../types.js';

/** Maximum of models that a request may list. Real fallback chains are far shorter. */
const MAX_MODELS = 32;

/** The preferences that a request gives. An invalid value counts as not given here; `routeViolations` reports it. */
export function preferencesOf(sent: SentPreferences | undefined): ProviderPreferences {
  if (sent === undefined) return noPreferences;
  const maxPrice = sent.max_price ?? null;
  return {
    order: sent.order ?? null,
    only: sent.only ?? null,
    ignore: sent.ignore ?? null,
    allowFallbacks: sent.allow_fallbacks ?? true,
    requireParameters: sent.require_parameters ?? false,
    dataCollection: sent.data_collection ?? null,
    zdr: sent.zdr ?? false,
    quantizations: sent.quantizations ?? null,
    sort: sent.sort ?? null,
    maxPrice: maxPrice === null ? null : parseMaxPrice(maxPrice).maxPrice,
    maxCostNanoUsd: parseMaxCost(sent.max_cost_usd).maxCostNanoUsd,
  };
}

/** The rules that the members break, beyond those of the contract. */
export function routeViolations({ model, models = [], provider }: RoutingMembers): Violation[] {
  const maxPrice = provider?.max_price ?? null;
  const maxCost = parseMaxCost(provider?.max_cost_usd).violation;
  return [
    ...(model === undefined && models.length === 0 ? [NO_MODEL] : []),
    ...(models.length > MAX_MODELS ? [TOO_MANY_MODELS] : []),
    ...(provider === undefined ? [] : preferenceViolations(preferencesOf(provider))),
    ...(maxPrice === null ? [] : parseMaxPrice(maxPrice).violations),
    ...(maxCost === null ? [] : [maxCost]),
  ];
}

const NO_MODEL: Violation = {
  field: 'model',
  rule: 'required',
  message: 'must name a model, or models a list of them',
};

const TOO_MANY_MODELS: Violation = {
  field: 'models',
  rule: 'count',
  message: `must have at most ${MAX_MODELS} entries`,
};

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
  maxCostNanoUsd: null,
};

/** The requested order; null if none is given. */
export function requestedOrder({ order }: ProviderPreferences): readonly string[] | null {
  return order === null || order.length === 0 ? null : order;
}

/** Maximum of names in each list of the preferences; far above the number of providers. */
export const MAX_LISTED_NAMES = 100;

/** Maximum length of a price as a string; far above any real one. */
const MAX_PRICE_CHARACTERS = 64;

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

/** The largest amount that a request may give, as for any limit. */
const MAX_COST_NANO_USD: NanoUsd = 1_000_000_000n * 10n ** 9n;

interface ParsedMaxCost {
  readonly maxCostNanoUsd: NanoUsd | null;
  readonly violation: Violation | null;
}

/** Parses `max_cost_usd`. */
function parseMaxCost(sent: string | null | undefined): ParsedMaxCost {
  if (sent === undefined || sent === null) return { maxCostNanoUsd: null, violation: null };
  const refused = (rule: string, message: string): ParsedMaxCost => ({
    maxCostNanoUsd: null,
    violation: { field: 'provider.max_cost_usd', rule, message },
  });
  const isDecimal = sent.length <= MAX_PRICE_CHARACTERS && parseDecimal(sent) !== undefined;
  if (!isDecimal) return refused('decimal', 'must be a decimal number as a text, such as "0.25"');
  const amount = parseUsd(sent);
  if (amount === undefined) return refused('decimals', `must have at most ${NANO_DIGITS} decimals`);
  if (amount <= 0n || amount > MAX_COST_NANO_USD) {
    return refused('range', 'must be more than 0 and at most 1,000,000,000');
  }
  return { maxCostNanoUsd: amount, violation: null };
}

/** All violations of the lists: at most `MAX_LISTED_NAMES` entries, none of them empty. */
export function preferenceViolations(preferences: ProviderPreferences): readonly Violation[] {
  if (preferences === noPreferences) return [];
  const { order, only, ignore, quantizations } = preferences;
  const ofProviders = Object.entries({ order, only, ignore }).flatMap(([name, entries]) =>
    entries === null ? [] : listViolations(`provider.${name}`, entries, patternViolation),
  );
  return [
    ...ofProviders,
    ...(quantizations === null
      ? []
      : listViolations('provider.quantizations', quantizations, emptyViolation)),
  ];
}

/** The preferences with the slugs of the providers that their lists name. Unknown names are not changed. */
export function withProviders(
  preferences: ProviderPreferences,
  slugs: Iterable<string>,
): ProviderPreferences {
  const { order, only, ignore } = preferences;
  if (order === null && only === null && ignore === null) return preferences;
  const known = [...slugs].sort();
  return {
    ...preferences,
    order: named(order, known),
    only: named(only, known),
    ignore: named(ignore, known),
  };
}

function named(entries: readonly string[] | null, slugs: readonly string[]): readonly string[] | null {
  if (entries === null || entries.every((entry) => slugs.includes(entry))) return entries;
  const found = entries.flatMap((entry) => {
    const matching = slugs.filter((slug) => namesIt(entry, slug));
    return matching.length === 0 ? [entry] : matching;
  });
  return [...new Set(found)];
}

function emptyViolation(entry: string): Omit<Violation, 'field'> | undefined {
  return entry === '' ? { rule: 'length', message: 'must not be empty' } : undefined;
}

function listViolations(
  field: string,
  entries: readonly string[],
  violationOf: (entry: string) => Omit<Violation, 'field'> | undefined,
): readonly Violation[] {
  if (entries.length > MAX_LISTED_NAMES) {
    return [{ field, rule: 'count', message: `must have at most ${MAX_LISTED_NAMES} entries` }];
  }
  return entries.flatMap((entry, index) => {
    const violation = violationOf(entry);
    return violation === undefined ? [] : [{ field: `${field}[${index}]`, ...violation }];
  });
}
