import type { Access, Candidate, EndpointKeyPair } from './candidate.js';
/**
 * The checks that may exclude a candidate, in this order: `findHidden`, `refusedByDemands` (with `refusedByRequest`),
 * `namedByKeyFilter`, `findUnavailable` and `exceedsFunds`. Each returns its first reason that applies. Only
 * `findHidden` and `findUnavailable` do not depend on the request.
 */

import { compareDecimals, type Decimal, formatDecimal } from '../../base/money.js';
import { type FilterReason, filterReason } from '../../byok/filters.js';
import { BASE_MODE, type ModeWords } from '../../catalog/modes.js';
import { discountedPrice } from '../../catalog/price.js';
import type { Endpoint } from '../../catalog/types.js';
import {
  hiddenReason,
  isCallableIn,
  profileAreaOf,
  VISIBILITY_REASONS,
  type VisibilityReason,
} from '../../catalog/visibility.js';
import { priceInMode } from '../../ledger/pricing/rates.js';
import { missingParameters } from '../estimate/used-parameters.js';
import type { MaxPrice, RequestDemands } from '../types.js';
import { fittingContract } from './contract-check.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import { speakingFormat } from './format-check.js';
import { keptGeo, sayableMode } from './mode-check.js';
import type { ModelContext } from './model-context.js';
import { requestedOrder } from './preferences.js';
import {
  type JudgedDemands,
  namedModels,
  namedModelsInPrice,
  type ServedEndpoint,
  withinReach,
} from './reach-checks.js';

/**
 * Checks endpoint state, data policy, region, guardrails and account preferences: whatever also hides an endpoint from
 * lists of models.
 */
export function findHidden(pair: EndpointKeyPair, modelContext: ModelContext): ReasonedExclusion | undefined {
  const { endpoint, provider, regions } = pair;
  const area = profileAreaOf(endpoint, provider);
  // The credential decides where calls go, so the endpoint is judged as one in that region or area.
  const reason = hiddenReason({ ...endpoint, region: area }, { ...provider, regions }, modelContext.policy);
  if (area !== null && !regions.every((region) => isCallableIn(area, region)) && comesBeyondRegion(reason)) {
    const where = pair.key === null ? 'The shared credential' : 'The key';
    return excludedFor(
      'region',
      `${where} calls ${regions.join(', ')}; the inference profile can be called in ${area} alone.`,
    );
  }
  return reason === null ? undefined : excludedFor(reason, HIDDEN_DETAILS[reason](pair, modelContext));
}

/** Runs after the request's own checks: finds what excludes the key, or removes shared capacity. */
export function findUnavailable(
  pair: EndpointKeyPair,
  modelContext: ModelContext,
): ReasonedExclusion | undefined {
  return unavailableKey(pair, modelContext) ?? sharedCapacity(pair, modelContext);
}

/** Why the key can't be used, by its own state and filters; undefined also if there is no key. */
export function unavailableKey(access: Access, modelContext: ModelContext): ReasonedExclusion | undefined {
  return keyFilters(access, modelContext) ?? keyState(access);
}

/** Why a key is excluded whose credential is not for the model. The key's own state and filters are reported first. */
export function judgeKeyWithoutEndpoint(access: Access, modelContext: ModelContext): ReasonedExclusion {
  const detail = `The key's credential has no entry for ${modelContext.model.id}.`;
  return keyFilters(access, modelContext) ?? excludedFor('key_no_endpoint', detail);
}

/** Why the request's preferences exclude the endpoint, or the request does not fit it; undefined = neither. */
export function refusedByRequest(
  served: ServedEndpoint,
  demands: JudgedDemands,
): ReasonedExclusion | undefined {
  const { endpoint } = served;
  return (
    namedModels(served, demands) ??
    requestedProviders(endpoint, demands) ??
    withinMaxPrice(endpoint, demands, demands.modes.at(endpoint, served.provider).mode) ??
    namedModelsInPrice(served, demands, withinMaxPrice) ??
    inQuantizations(endpoint, demands) ??
    supportingParameters(endpoint, demands) ??
    sayableMode(served, demands) ??
    speakingFormat(served, demands) ??
    withinReach(served, demands) ??
    fittingContract(served, demands) ??
    keptGeo(served, demands) ??
    fittingContext(endpoint, demands)
  );
}

/** Why the account can't pay for the candidate, the last of all checks; undefined = it can. */
export function exceedsFunds(
  { attempt: { key }, isFree }: Candidate,
  { hasCredits, hasByokAllowance }: Pick<RequestDemands, 'hasCredits' | 'hasByokAllowance'>,
): ReasonedExclusion | undefined {
  if (hasCredits || isFree) return undefined;
  if (key === null) return excludedFor('insufficient_credits', 'The account has no credits left.');
  if (hasByokAllowance) return undefined;
  return excludedFor(
    'insufficient_credits',
    'The free BYOK allowance is used up and no credits are left for the fee.',
  );
}

/** Whether the reason is evaluated after `region`. No reason counts as one that is. */
function comesBeyondRegion(reason: VisibilityReason | null): boolean {
  return reason === null || VISIBILITY_REASONS.indexOf(reason) > VISIBILITY_REASONS.indexOf('region');
}

const HIDDEN_DETAILS: Record<
  VisibilityReason,
  (pair: EndpointKeyPair, modelContext: ModelContext) => string
> = {
  endpoint_disabled: ({ endpoint: { status, formats } }) =>
    status === 'disabled'
      ? 'The catalogue marks the endpoint as disabled.'
      : `The endpoint speaks ${formats.join(', ')} alone, which no operation here serves.`,
  data_policy_zdr: () => 'Zero data retention is demanded; the endpoint does not promise it.',
  data_policy_collection: () => 'Data collection is denied; the endpoint may keep or train on prompts.',
  region: ({ endpoint, provider, regions, key }, { policy }) => {
    if (!policy.isRegionAdmitted) return `A guardrail does not allow requests through ${policy.region}.`;
    const area = profileAreaOf(endpoint, provider);
    if (area !== null) {
      return `The inference profile runs anywhere in ${area}; the request must stay in ${policy.region}.`;
    }
    const called = regions.length === 0 ? 'no region of its own' : regions.join(', ');
    const where = key === null ? `The endpoint runs in ${called}` : `The key calls ${called}`;
    return `${where}; the request must stay in ${policy.region}.`;
  },
  guardrail_model: (_, { model }) => `A guardrail does not allow ${model.id}.`,
  guardrail_provider: ({ providerSlug }) => `A guardrail does not allow ${providerSlug}.`,
  preference_provider: ({ providerSlug }) => `The account's provider preferences leave out ${providerSlug}.`,
};

function keyFilters({ key: routable }: Access, modelContext: ModelContext): ReasonedExclusion | undefined {
  if (routable === null) return undefined;
  const { key } = routable;
  if (key.disabled) return DISABLED;
  const { model, caller, resolveModelId } = modelContext;
  const reason = filterReason(key, model.id, caller, resolveModelId);
  if (reason !== null) return FILTERED[reason];
  if (modelContext.policy.zdr && key.declaredZdr === false) {
    return excludedFor(
      'key_not_zdr',
      'Zero data retention is demanded; the key is declared as not offering it.',
    );
  }
  return undefined;
}

const DISABLED = excludedFor('key_disabled', 'The key is disabled.');

const FILTERED: Record<FilterReason, ReasonedExclusion> = {
  key_model_filter: excludedFor('key_model_filter', "The key's model filter does not contain the model."),
  key_api_key_filter: excludedFor(
    'key_api_key_filter',
    "The key's API-key filter does not contain the request's API key.",
  ),
  key_member_filter: excludedFor(
    'key_member_filter',
    "The key's member filter does not contain the request's member.",
  ),
};

function keyState({ key }: Access): ReasonedExclusion | undefined {
  if (key === null || key.usable) return undefined;
  return excludedFor('key_unusable', 'The stored credential cannot be opened or used.');
}

function sharedCapacity(
  { key, providerSlug, endpoint }: EndpointKeyPair,
  modelContext: ModelContext,
): ReasonedExclusion | undefined {
  if (key !== null) return undefined;
  if (modelContext.alwaysUseProviders.has(providerSlug)) {
    return excludedFor('always_use', `A key of yours is always used for ${providerSlug}.`);
  }
  if (modelContext.byokOnlyProviders.has(providerSlug)) {
    return excludedFor('byok_only', `A key of yours removes shared capacity of ${providerSlug}.`);
  }
  const { sharedProviders, model, policy } = modelContext;
  if (!policy.hasSharedCapacity) {
    return excludedFor('no_shared_capacity', 'The account has no shared capacity.');
  }
  const shared = sharedProviders.get(providerSlug);
  if (shared?.servesModel(model.id) === true) return endpoint.isUnpriced ? UNPRICED : undefined;
  const what = shared === undefined ? providerSlug : `${model.id} at ${providerSlug}`;
  return excludedFor('no_shared_credential', `This gateway holds no shared credential for ${what}.`);
}

const UNPRICED = excludedFor(
  'unpriced_mode',
  'No price is known for the endpoint, so that it is used with own keys alone.',
);

/** Checks `only`, `ignore`, and `order` if fallbacks are not allowed. */
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

/** Judges the dearer of the price in the mode and that of the base, since the host may deny the mode. */
function withinMaxPrice(
  { pricing }: Endpoint,
  { preferences, promptTokens }: RequestDemands,
  mode: ModeWords = BASE_MODE,
): ReasonedExclusion | undefined {
  const { maxPrice } = preferences;
  if (maxPrice === null) return undefined;
  for (const kind of ['prompt', 'completion', 'request', 'image'] as const) {
    const max = maxPrice[kind];
    const base = discountedPrice(pricing, kind);
    const inMode = mode === BASE_MODE ? base : priceInMode(pricing, kind, mode, promptTokens ?? 0);
    const price = base && inMode && compareDecimals(inMode, base) > 0 ? inMode : base;
    if (max === null || price === undefined) continue;
    const { exponent, unit } = PRICE_UNITS[kind];
    const scaled = timesTenTo(exponent, price);
    if (compareDecimals(scaled, max) <= 0) continue;
    const prices = `${formatDecimal(scaled)} ${unit}, provider.max_price.${kind} is ${formatDecimal(max)}`;
    return excludedFor('max_price', `The ${kind} price is ${prices}.`);
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
    const detail = `At least ${prompt} prompt and ${completion} completion tokens; the endpoint's context holds ${contextLength}.`;
    // Words of this kind name one number: the prompt's, where it is too long by itself.
    const tokens = prompt > contextLength ? prompt : prompt + completion;
    return { ...excludedFor('context_length', detail), overflow: { tokens, limit: contextLength } };
  }
  return undefined;
}
