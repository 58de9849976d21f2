/**
 * The checks that do not depend on the request's preferences, in two groups: the request's own checks are evaluated in
 * between (the order of `EXCLUSION_REASONS`). Each group returns the first of its reasons that holds; the first of all
 * is reported.
 */
import { type FilterReason, filterReason } from '../../byok/filters.js';
import { isCallableIn, profileAreaOf } from '../../catalog/profile-area.js';
import { hiddenReason, VISIBILITY_REASONS, type VisibilityReason } from '../../catalog/visibility.js';
import type { Access, EndpointKeyPair } from './endpoint-key-pairs.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import type { ModelContext } from './model-context.js';
/**
 * Endpoint state, data policy, region, guardrails, account preferences: what also hides an endpoint from model lists.
 */
export function findHidden(pair: EndpointKeyPair, modelContext: ModelContext): ReasonedExclusion | undefined {
  const { endpoint, provider, regions } = pair;
  const area = profileAreaOf(endpoint, provider);
  // The credential decides where calls go, so the endpoint is judged as one that runs there, or anywhere in its area.
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

/** Whether a reason is evaluated after `region`; no reason counts as one. */
function comesBeyondRegion(reason: VisibilityReason | null): boolean {
  return reason === null || VISIBILITY_REASONS.indexOf(reason) > VISIBILITY_REASONS.indexOf('region');
}

const HIDDEN_DETAILS: Record<
  VisibilityReason,
  (pair: EndpointKeyPair, modelContext: ModelContext) => string
> = {
  endpoint_disabled: () => 'The catalogue marks the endpoint as disabled.',
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

/** The group after the request's own checks: what excludes the key, or what removes shared capacity. */
export function findUnavailable(
  pair: EndpointKeyPair,
  modelContext: ModelContext,
): ReasonedExclusion | undefined {
  return keyFilters(pair, modelContext) ?? keyState(pair) ?? sharedCapacity(pair, modelContext);
}

/** Why a key without an endpoint for the model is excluded; its own state and filters are reported first. */
export function judgeKeyWithoutEndpoint(access: Access, modelContext: ModelContext): ReasonedExclusion {
  const { providerSlug, key } = access;
  const { model } = modelContext;
  const isForModel = key?.servesModel(model.id) === true;
  const detail = isForModel
    ? `${providerSlug} has no endpoint for ${model.id}.`
    : `The key's credential has no entry for ${model.id}.`;
  return keyFilters(access, modelContext) ?? excludedFor('key_no_endpoint', detail);
}

const FILTER_DETAILS: Record<FilterReason, string> = {
  key_model_filter: "The key's model filter does not contain the model.",
  key_api_key_filter: "The key's API-key filter does not contain the request's API key.",
  key_member_filter: "The key's member filter does not contain the request's member.",
};

function keyFilters({ key: routable }: Access, modelContext: ModelContext): ReasonedExclusion | undefined {
  if (routable === null) return undefined;
  const { key } = routable;
  if (key.disabled) return excludedFor('key_disabled', 'The key is disabled.');
  const { model, caller, resolveModelId } = modelContext;
  const reason = filterReason(key, model.id, caller, resolveModelId);
  if (reason !== null) return excludedFor(reason, FILTER_DETAILS[reason]);
  if (modelContext.policy.zdr && key.declaredZdr === false) {
    return excludedFor(
      'key_not_zdr',
      'Zero data retention is demanded; the key is declared as not offering it.',
    );
  }
  return undefined;
}

function keyState({ key }: EndpointKeyPair): ReasonedExclusion | undefined {
  if (key === null || key.usable) return undefined;
  return excludedFor('key_unusable', 'The stored credential cannot be opened or used.');
}

function sharedCapacity(
  { key, providerSlug }: EndpointKeyPair,
  modelContext: ModelContext,
): ReasonedExclusion | undefined {
  if (key !== null) return undefined;
  if (modelContext.alwaysUseProviders.has(providerSlug)) {
    return excludedFor('always_use', `A key of yours is always used for ${providerSlug}.`);
  }
  if (modelContext.byokOnlyProviders.has(providerSlug)) {
    return excludedFor('byok_only', `A key of yours removes shared capacity of ${providerSlug}.`);
  }
  const { sharedProviders, model } = modelContext;
  const shared = sharedProviders.get(providerSlug);
  if (shared?.servesModel(model.id) === true) return undefined;
  const what = shared === undefined ? providerSlug : `${model.id} at ${providerSlug}`;
  return excludedFor('no_shared_credential', `This gateway holds no shared credential for ${what}.`);
}
