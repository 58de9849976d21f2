import { profileAreaOf } from './profile-area.js';
import { type DataPolicy, DEFAULT_DATA_POLICY, type Endpoint, type Provider } from './types.js';

/** The region of the default host, which includes all endpoints. */
export const GLOBAL_REGION = 'global';

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
export function inRegion(
  region: string,
  endpoint: Pick<Endpoint, 'region' | 'upstreamModelId'>,
  provider: Pick<Provider, 'regions' | 'adapter'>,
): boolean {
  if (region === GLOBAL_REGION) return true;
  const location = profileAreaOf(endpoint, provider) ?? endpoint.region;
  const locations = location === null ? provider.regions : [location];
  return locations.length > 0 && locations.every((one) => regionCovers(region, one));
}
