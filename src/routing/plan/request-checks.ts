/** The checks of the request itself: its `provider` member, its size, and the funds of its account. */
import { compareDecimals, type Decimal, formatDecimal } from '../../base/money.js';
import type { Endpoint } from '../../catalog/types.js';
import { missingParameters } from '../estimate/used-parameters.js';
import type { MaxPrice, RequestDemands } from '../types.js';
import type { Candidate } from './candidates.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import { requestedOrder } from './preferences.js';
import { discountedPrice } from './price.js';

/** Why the request's preferences exclude the endpoint, or the request does not fit it; undefined = neither. */
export function refusedByRequest(endpoint: Endpoint, demands: RequestDemands): ReasonedExclusion | undefined {
  return (
    requestedProviders(endpoint, demands) ??
    withinMaxPrice(endpoint, demands) ??
    inQuantizations(endpoint, demands) ??
    supportingParameters(endpoint, demands) ??
    fittingContext(endpoint, demands)
  );
}

/** Why the account can't pay for the candidate, the last of all checks; undefined = it can. */
export function exceedsFunds(
  { attempt: { key }, isFree }: Candidate,
  { hasCredits, hasByokAllowance }: RequestDemands,
): ReasonedExclusion | undefined {
  if (hasCredits || isFree) return undefined;
  if (key === null) return excludedFor('insufficient_credits', 'The account has no credits left.');
  if (hasByokAllowance) return undefined;
  return excludedFor(
    'insufficient_credits',
    'The free BYOK allowance is used up and no credits are left for the fee.',
  );
}

/** `only`, `ignore`, and `order` where fallbacks are not allowed. */
function requestedProviders(
  { provider: providerSlug }: Endpoint,
  { preferences }: RequestDemands,
): ReasonedExclusion | undefined {
  const { only, ignore, allowFallbacks } = preferences;
  if (only !== null && !only.includes(providerSlug)) {
    return excludedFor('request_only', `The list provider.only does not contain ${providerSlug}.`);
  }
  if (ignore?.includes(providerSlug)) {
    return excludedFor('request_ignore', `The list provider.ignore contains ${providerSlug}.`);
  }
  if (!allowFallbacks && requestedOrder(preferences)?.includes(providerSlug) === false) {
    return excludedFor(
      'not_in_order',
      `The list provider.order does not contain ${providerSlug}, and fallbacks are not allowed.`,
    );
  }
  return undefined;
}

/** Units of `max_price`: USD per million tokens, or USD each. */
const PRICE_UNITS = {
  prompt: { exponent: 6, unit: 'USD per million tokens' },
  completion: { exponent: 6, unit: 'USD per million tokens' },
  request: { exponent: 0, unit: 'USD' },
  image: { exponent: 0, unit: 'USD' },
} as const satisfies Record<keyof MaxPrice, { exponent: number; unit: string }>;

function withinMaxPrice(
  { pricing }: Endpoint,
  { preferences }: RequestDemands,
): ReasonedExclusion | undefined {
  const { maxPrice } = preferences;
  if (maxPrice === null) return undefined;
  for (const kind of ['prompt', 'completion', 'request', 'image'] as const) {
    const max = maxPrice[kind];
    const price = discountedPrice(pricing, kind);
    if (max === null || price === undefined) continue;
    const { exponent, unit } = PRICE_UNITS[kind];
    const scaled = timesTenTo(exponent, price);
    if (compareDecimals(scaled, max) <= 0) continue;
    const prices = `${formatDecimal(scaled)} ${unit}, provider.max_price.${kind} is ${formatDecimal(max)}`;
    return excludedFor('max_price', `The ${kind} price is ${prices}.`);
  }
  return undefined;
}

function timesTenTo(exponent: number, { digits, scale }: Decimal): Decimal {
  return { digits: digits * 10n ** BigInt(exponent), scale };
}

/** An endpoint without a known quantization counts as `unknown`. */
function inQuantizations(
  { quantization: known }: Endpoint,
  { preferences }: RequestDemands,
): ReasonedExclusion | undefined {
  const quantization = known ?? 'unknown';
  if (preferences.quantizations?.includes(quantization) !== false) return undefined;
  return excludedFor('quantization', `The endpoint's quantization is ${quantization}.`);
}

function supportingParameters(
  { supportedParameters }: Endpoint,
  { preferences, usedParameters }: RequestDemands,
): ReasonedExclusion | undefined {
  if (!preferences.requireParameters) return undefined;
  const missing = missingParameters(usedParameters, supportedParameters);
  if (missing.length === 0) return undefined;
  return excludedFor('unsupported_parameter', `The endpoint does not support ${missing.join(', ')}.`);
}

/** A request fits when the endpoint allows the requested length, and prompt and answer together fit its context. */
function fittingContext(
  { contextLength, maxCompletionTokens }: Endpoint,
  { promptTokens, maxTokens }: RequestDemands,
): ReasonedExclusion | undefined {
  const prompt = promptTokens ?? 0;
  const completion = maxTokens ?? 0;
  if (maxCompletionTokens !== null && completion > maxCompletionTokens) {
    return excludedFor(
      'context_length',
      `${completion} completion tokens are requested; the endpoint allows ${maxCompletionTokens}.`,
    );
  }
  if (contextLength !== null && prompt + completion > contextLength) {
    return excludedFor(
      'context_length',
      `At least ${prompt} prompt and ${completion} completion tokens; the endpoint's context holds ${contextLength}.`,
    );
  }
  return undefined;
}
