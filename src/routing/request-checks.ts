/** What the request's own `provider` member and its size demand of a candidate (interface section 6). */
import { compareDecimals, type Decimal, formatDecimal } from '../base/money.js';
import type { Access, Candidate } from './candidate.js';
import { type Finding, found } from './finding.js';
import { discountedPrice } from './price.js';
import type { Situation } from './situation.js';
import type { MaxPrice } from './types.js';
import { missingParameters } from './used-parameters.js';

/** `only`, `ignore`, and `order` where fallbacks are not allowed. */
export function requestedProviders({ providerSlug }: Access, situation: Situation): Finding | undefined {
  const { only, ignore, allowFallbacks } = situation.preferences;
  if (only !== null && !only.includes(providerSlug)) {
    return found('request_only', `The list provider.only does not contain ${providerSlug}.`);
  }
  if (ignore?.includes(providerSlug)) {
    return found('request_ignore', `The list provider.ignore contains ${providerSlug}.`);
  }
  if (!allowFallbacks && situation.requestedOrder?.includes(providerSlug) === false) {
    return found(
      'not_in_order',
      `The list provider.order does not contain ${providerSlug}, and fallbacks are not allowed.`,
    );
  }
  return undefined;
}

/** `max_price`, `quantizations`, `require_parameters`, and whether prompt and answer fit. */
export function requestedQualities(candidate: Candidate, situation: Situation): Finding | undefined {
  return (
    withinMaxPrice(candidate, situation) ??
    inQuantizations(candidate, situation) ??
    supportingParameters(candidate, situation) ??
    fittingContext(candidate, situation)
  );
}

/** What the bounds are counted in: USD per million tokens, or USD each. */
const PRICE_UNITS = {
  prompt: { exponent: 6, unit: 'USD per million tokens' },
  completion: { exponent: 6, unit: 'USD per million tokens' },
  request: { exponent: 0, unit: 'USD' },
  image: { exponent: 0, unit: 'USD' },
} as const satisfies Record<keyof MaxPrice, { exponent: number; unit: string }>;

function withinMaxPrice({ endpoint }: Candidate, { preferences }: Situation): Finding | undefined {
  const { maxPrice } = preferences;
  if (maxPrice === null) return undefined;
  for (const kind of ['prompt', 'completion', 'request', 'image'] as const) {
    const bound = maxPrice[kind];
    const price = discountedPrice(endpoint.pricing, kind);
    if (bound === null || price === undefined) continue;
    const { exponent, unit } = PRICE_UNITS[kind];
    const asked = timesTenTo(exponent, price);
    if (compareDecimals(asked, bound) <= 0) continue;
    const prices = `${formatDecimal(asked)} ${unit}, provider.max_price.${kind} is ${formatDecimal(bound)}`;
    return found('max_price', `The ${kind} price is ${prices}.`);
  }
  return undefined;
}

function timesTenTo(exponent: number, { digits, scale }: Decimal): Decimal {
  return { digits: digits * 10n ** BigInt(exponent), scale };
}

/** An endpoint of which no quantization is known goes by the name of `unknown`. */
function inQuantizations({ endpoint }: Candidate, { preferences }: Situation): Finding | undefined {
  const quantization = endpoint.quantization ?? 'unknown';
  if (preferences.quantizations?.includes(quantization) !== false) return undefined;
  return found('quantization', `The endpoint's quantization is ${quantization}.`);
}

function supportingParameters({ endpoint }: Candidate, situation: Situation): Finding | undefined {
  if (!situation.preferences.requireParameters) return undefined;
  const missing = missingParameters(situation.usedParameters, endpoint.supportedParameters);
  if (missing.length === 0) return undefined;
  return found('unsupported_parameter', `The endpoint does not support ${missing.join(', ')}.`);
}

/** A request fits when its answer may be as long as asked for, and prompt and answer together fit the context. */
function fittingContext({ endpoint }: Candidate, situation: Situation): Finding | undefined {
  const { contextLength, maxCompletionTokens } = endpoint;
  const prompt = situation.promptTokens ?? 0;
  const completion = situation.maxTokens ?? 0;
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
