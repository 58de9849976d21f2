import { profileAreaOf } from './profile-area.js';
import { type DataPolicy, DEFAULT_DATA_POLICY, type Endpoint, type Provider } from './types.js';

/** The region of the ordinary host: everything passes. */
export const GLOBAL_REGION = 'global';

/** An endpoint's own statement laid over its provider's, member by member; what nobody states is not promised. */
export function dataPolicyOf(own: Partial<DataPolicy>, provider: Pick<Provider, 'dataPolicy'>): DataPolicy {
  return { ...DEFAULT_DATA_POLICY, ...provider.dataPolicy, ...own };
}

/**
 * Whether a place lies in the region wanted (interface section 4, Regions): `eu` covers `eu`, `eu-...` and
 * `europe-...`, any other R covers R and `R-...`. `global` wants nothing. A place of null is global and lies in no
 * region.
 */
export function regionCovers(wanted: string, place: string | null): boolean {
  if (wanted === GLOBAL_REGION) return true;
  if (place === null) return false;
  if (place === wanted || place.startsWith(`${wanted}-`)) return true;
  return wanted === 'eu' && (place === 'europe' || place.startsWith('europe-'));
}

/**
 * Whether the endpoint satisfies in-region routing for the region wanted. One that names no region runs in each of
 * its provider's, so that each of them must lie in the region; where those are not stated either it is global and
 * satisfies no region. An inference profile of Bedrock runs anywhere in its area, wherever it is called.
 */
export function inRegion(
  wanted: string,
  endpoint: Pick<Endpoint, 'region' | 'upstreamModelId'>,
  provider: Pick<Provider, 'regions' | 'adapter'>,
): boolean {
  const place = profileAreaOf(endpoint, provider) ?? endpoint.region;
  const places = place === null ? provider.regions : [place];
  return (
    wanted === GLOBAL_REGION || (places.length > 0 && places.every((place) => regionCovers(wanted, place)))
  );
}
