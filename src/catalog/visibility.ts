/** Which endpoints a caller may see and use: data policies, regions, guardrails and preferences. */
import { isListed } from '../base/name-pattern.js';
import { isServable } from './formats.js';
import {
  type AdapterName,
  type DataPolicy,
  DEFAULT_DATA_POLICY,
  type Endpoint,
  type Provider,
} from './types.js';

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

/** The region of the default host, which includes all endpoints. */
export const GLOBAL_REGION = 'global';

/**
 * The combined restrictions of the account, its guardrails and the host: allow lists intersect, ZDR and deny are OR-ed.
 * Model lists contain resolved ids, and entries as they were given: names that are unknown, and prefixes (`openai/*`). Null =
 * no restriction.
 */
export interface Visibility {
  /** Whether the account may use the gateway's own credentials. */
  readonly hasSharedCapacity: boolean;
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
  hasSharedCapacity: true,
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

/** The endpoint's policy merged over its provider's, member by member: `docs/catalog.md#data-policy`. */
export function dataPolicyOf(own: Partial<DataPolicy>, provider: Pick<Provider, 'dataPolicy'>): DataPolicy {
  return { ...DEFAULT_DATA_POLICY, ...provider.dataPolicy, ...own };
}

/**
 * Whether a location lies in the requested region: `eu` covers `eu`, `eu-...` and `europe-...`, any other R covers R and
 * `R-...`. `global` covers everything. A location of null is global and lies in no region. See `docs/routing.md#regions`.
 */
export function regionCovers(region: string, location: string | null): boolean {
  if (region === GLOBAL_REGION) return true;
  if (location === null) return false;
  if (location === region || location.startsWith(`${region}-`)) return true;
  return region === 'eu' && (location === 'europe' || location.startsWith('europe-'));
}

/**
 * Whether the endpoint only runs in the requested region. An endpoint without a region runs in any of its provider's, so
 * all of those must lie in the region; without those either it is global and lies in no region. An inference profile of
 * Bedrock runs anywhere in its area.
 */
function inRegion(
  region: string,
  endpoint: Pick<Endpoint, 'region' | 'upstreamModelId'>,
  provider: Pick<Provider, 'regions' | 'adapter'>,
): boolean {
  if (region === GLOBAL_REGION) return true;
  const location = profileAreaOf(endpoint, provider) ?? endpoint.region;
  const locations = location === null ? provider.regions : [location];
  return locations.length > 0 && locations.every((one) => regionCovers(region, one));
}

/** The area of a Bedrock endpoint, by its model id, else by its `region`; null for an endpoint in a single region. */
export function profileAreaOf(
  { upstreamModelId, region }: Pick<Endpoint, 'upstreamModelId' | 'region'>,
  { adapter }: Pick<Provider, 'adapter'>,
): string | null {
  if (!HAS_PROFILES[adapter]) return null;
  const [, prefix = ''] = /(?:^|\/)([a-z-]+)\.[^/]*$/.exec(upstreamModelId) ?? [];
  if (AREAS.has(prefix)) return prefix;
  return region !== null && AREAS.has(region) ? region : null;
}

/** Whether models have inference profiles, which run anywhere in an area. */
const HAS_PROFILES: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: false,
  'amazon-bedrock': true,
  'google-vertex': false,
  demo: false,
};

/** The default region of an area; a name that is not an area is the region itself. */
export function callableRegion(named: string): string {
  return AREAS.get(named)?.defaultRegion ?? named;
}

/** Whether a profile of the area can be called in the region; the area's own name means its default region. */
export function isCallableIn(area: string, region: string): boolean {
  return region === area || AREAS.get(area)?.regions.test(region) === true;
}

const RULES: Record<
  VisibilityReason,
  (endpoint: Endpoint, provider: Provider, visibility: Visibility) => boolean
> = {
  endpoint_disabled: (endpoint, provider) =>
    endpoint.status === 'disabled' || !isServable(endpoint, provider),
  data_policy_zdr: (endpoint, _, { zdr }) => zdr && !endpoint.dataPolicy.zdr,
  data_policy_collection: (endpoint, _, { denyDataCollection }) =>
    denyDataCollection && endpoint.dataPolicy.dataCollection,
  region: (endpoint, provider, { region, isRegionAdmitted }) =>
    !isRegionAdmitted || !inRegion(region, endpoint, provider),
  guardrail_model: ({ modelId }, _, visibility) =>
    isListed(visibility.guardrailIgnoredModels, modelId) ||
    !visibility.guardrailAllowedModels.every((list) => isListed(list, modelId)),
  guardrail_provider: (_, { slug }, visibility) =>
    isListed(visibility.guardrailIgnoredProviders, slug) ||
    !visibility.guardrailAllowedProviders.every((list) => isListed(list, slug)),
  preference_provider: (_, { slug }, visibility) =>
    isListed(visibility.preferenceIgnoredProviders, slug) ||
    (visibility.preferenceAllowedProviders !== null &&
      !isListed(visibility.preferenceAllowedProviders, slug)),
};

interface Area {
  /** The region to call for credentials without a region. */
  readonly defaultRegion: string;
  /** The regions in which it can be called. */
  readonly regions: RegExp;
}

const AREAS: ReadonlyMap<string, Area> = new Map([
  ['global', { defaultRegion: 'us-east-1', regions: /./ }],
  ['us', { defaultRegion: 'us-east-1', regions: /^us-(?!gov-)/ }],
  ['us-gov', { defaultRegion: 'us-gov-west-1', regions: /^us-gov-/ }],
  ['ca', { defaultRegion: 'ca-central-1', regions: /^ca-/ }],
  ['eu', { defaultRegion: 'eu-central-1', regions: /^eu-/ }],
  ['apac', { defaultRegion: 'ap-northeast-1', regions: /^ap-/ }],
  ['jp', { defaultRegion: 'ap-northeast-1', regions: /^ap-/ }],
  ['au', { defaultRegion: 'ap-southeast-2', regions: /^ap-/ }],
]);
