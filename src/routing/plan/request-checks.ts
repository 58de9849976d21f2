/** What the request's own `provider` member, its size and its means demand of a way (interface section 6). */
import { compareDecimals, type Decimal, formatDecimal } from '../../base/money.js';
import type { Endpoint } from '../../catalog/types.js';
import { missingParameters } from '../estimate/used-parameters.js';
import type { MaxPrice, RequestDemands } from '../types.js';
import type { Candidate } from './candidates.js';
import { requestedOrder } from './preferences.js';
import { discountedPrice } from './price.js';
import { found, type ReasonedExclusion } from './reasoned-exclusion.js';

/** Why the request itself does not want the endpoint, or does not fit it; undefined when neither. */
export function refusedByRequest(endpoint: Endpoint, demands: RequestDemands): ReasonedExclusion | undefined {
  return (
    requestedProviders(endpoint, demands) ??
    withinMaxPrice(endpoint, demands) ??
    inQuantizations(endpoint, demands) ??
    supportingParameters(endpoint, demands) ??
    fittingContext(endpoint, demands)
  );
}

/** Why the account can't pay for the way, the last of all checks; undefined when it can. */
export function exceedsFunds(
  { attempt: { key }, isFree }: Candidate,
  { hasCredits, hasByokAllowance }: RequestDemands,
): ReasonedExclusion | undefined {
  if (hasCredits || isFree) return undefined;
  if (key === null) return found('insufficient_credits', 'The account has no credits left.');
  if (hasByokAllowance) return undefined;
  return found(
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
    return found('request_only', `The list provider.only does not contain ${providerSlug}.`);
  }
  if (ignore?.includes(providerSlug)) {
    return found('request_ignore', `The list provider.ignore contains ${providerSlug}.`);
  }
  if (!allowFallbacks && requestedOrder(preferences)?.includes(providerSlug) === false) {
    return found(
      'not_in_order',
      `The list provider.order does not contain ${providerSlug}, and fallbacks are not allowed.`,
    );
  }
  return undefined;
}

/** What the bounds are counted in: USD per million tokens, or USD each. */
const PRICE_UNITS = {
  prompt: { exponent: 6, unit: 'USD per million tokens' },
  completion: { exponent: 6, unit: 'USD per million tokens' },
  request: { exponent: 0, unit: 'USD' },
  image: { exponent: 0, unit: 'USD' },
} as const satisfies Record<keyof MaxPrice, { exponent: number; unit: string }>;

/** `max_price`. */
function withinMaxPrice(
  { pricing }: Endpoint,
  { preferences }: RequestDemands,
): ReasonedExclusion | undefined {
  const { maxPrice } = preferences;
  if (maxPrice === null) return undefined;
  for (const kind of ['prompt', 'completion', 'request', 'image'] as const) {
    const bound = maxPrice[kind];
    const price = discountedPrice(pricing, kind);
    if (bound === null || price === undefined) continue;
    const { exponent, unit } = PRICE_UNITS[kind];
    const demands = timesTenTo(exponent, price);
    if (compareDecimals(demands, bound) <= 0) continue;
    const prices = `${formatDecimal(demands)} ${unit}, provider.max_price.${kind} is ${formatDecimal(bound)}`;
    return found('max_price', `The ${kind} price is ${prices}.`);
  }
  return undefined;
}

function timesTenTo(exponent: number, { digits, scale }: Decimal): Decimal {
  return { digits: digits * 10n ** BigInt(exponent), scale };
}

/** An endpoint of which no quantization is known goes by the name of `unknown`. */
function inQuantizations(
  { quantization: known }: Endpoint,
  { preferences }: RequestDemands,
): ReasonedExclusion | undefined {
  const quantization = known ?? 'unknown';
  if (preferences.quantizations?.includes(quantization) !== false) return undefined;
  return found('quantization', `The endpoint's quantization is ${quantization}.`);
}

function supportingParameters(
  { supportedParameters }: Endpoint,
  { preferences, usedParameters }: RequestDemands,
): ReasonedExclusion | undefined {
  if (!preferences.requireParameters) return undefined;
  const missing = missingParameters(usedParameters, supportedParameters);
  if (missing.length === 0) return undefined;
  return found('unsupported_parameter', `The endpoint does not support ${missing.join(', ')}.`);
}

/** A request fits when its answer may be as long as asked for, and prompt and answer together fit the context. */
function fittingContext(
  { contextLength, maxCompletionTokens }: Endpoint,
  { promptTokens, maxTokens }: RequestDemands,
): ReasonedExclusion | undefined {
  const prompt = promptTokens ?? 0;
  const completion = maxTokens ?? 0;
  if (maxCompletionTokens !== null && completion > maxCompletionTokens) {
    return found(
      'context_length',
      `${completion} completion tokens are asked for; the endpoint gives ${maxCompletionTokens}.`,
    );
  }
  if (contextLength !== null && prompt + completion > contextLength) {
    return found(
      'context_length',
      `At least ${prompt} prompt and ${completion} completion tokens; the endpoint's context holds ${contextLength}.`,
    );
  }
  return undefined;
}
