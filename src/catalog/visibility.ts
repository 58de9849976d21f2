import { inRegion } from './policy.js';
import type { Endpoint, Provider } from './types.js';

/** Why an endpoint is hidden from a caller, in the order of evaluation. */
export const VISIBILITY_REASONS = [
  'endpoint_disabled',
  'data_policy_zdr',
  'data_policy_collection',
  'region',
  'guardrail_model',
  'guardrail_provider',
  'preference_provider',
] as const;
export type VisibilityReason = (typeof VISIBILITY_REASONS)[number];

/**
 * The combined restrictions of the account, its guardrails and the host: allow lists intersect, ZDR and deny are OR-ed.
 * Model lists contain resolved ids; null = no restriction.
 */
export interface Visibility {
  readonly zdr: boolean;
  readonly denyDataCollection: boolean;
  /** `global` for the default host, else the only region whose endpoints may serve. */
  readonly region: string;
  /** Whether the guardrails allow requests to the region's host; if not, all endpoints are hidden. */
  readonly isRegionAdmitted: boolean;
  /** Each list must admit the model. */
  readonly guardrailAllowedModels: readonly (readonly string[])[];
  readonly guardrailIgnoredModels: readonly string[];
  /** Each list must admit the provider. */
  readonly guardrailAllowedProviders: readonly (readonly string[])[];
  readonly guardrailIgnoredProviders: readonly string[];
  readonly preferenceAllowedProviders: readonly string[] | null;
  readonly preferenceIgnoredProviders: readonly string[];
}

/** Hides nothing but disabled endpoints: the public list. */
export const UNFILTERED: Visibility = {
  zdr: false,
  denyDataCollection: false,
  region: 'global',
  isRegionAdmitted: true,
  guardrailAllowedModels: [],
  guardrailIgnoredModels: [],
  guardrailAllowedProviders: [],
  guardrailIgnoredProviders: [],
  preferenceAllowedProviders: null,
  preferenceIgnoredProviders: [],
};

/** The first reason that hides the endpoint from the caller; null when it is visible. */
export function hiddenReason(
  endpoint: Endpoint,
  provider: Provider,
  visibility: Visibility,
): VisibilityReason | null {
  return VISIBILITY_REASONS.find((reason) => RULES[reason](endpoint, provider, visibility)) ?? null;
}

const RULES: Record<
  VisibilityReason,
  (endpoint: Endpoint, provider: Provider, visibility: Visibility) => boolean
> = {
  endpoint_disabled: (endpoint) => endpoint.status === 'disabled',
  data_policy_zdr: (endpoint, _, { zdr }) => zdr && !endpoint.dataPolicy.zdr,
  data_policy_collection: (endpoint, _, { denyDataCollection }) =>
    denyDataCollection && endpoint.dataPolicy.dataCollection,
  region: (endpoint, provider, { region, isRegionAdmitted }) =>
    !isRegionAdmitted || !inRegion(region, endpoint, provider),
  guardrail_model: ({ modelId }, _, visibility) =>
    visibility.guardrailIgnoredModels.includes(modelId) ||
    !visibility.guardrailAllowedModels.every((list) => list.includes(modelId)),
  guardrail_provider: (_, { slug }, visibility) =>
    visibility.guardrailIgnoredProviders.includes(slug) ||
    !visibility.guardrailAllowedProviders.every((list) => list.includes(slug)),
  preference_provider: (_, { slug }, visibility) =>
    visibility.preferenceIgnoredProviders.includes(slug) ||
    visibility.preferenceAllowedProviders?.includes(slug) === false,
};
