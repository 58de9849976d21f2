/**
 * Which regions are really called: a credential's region takes precedence over the catalogue's. See
 * docs/routing.md#regions.
 */
import type { Credential } from '../../byok/credential.js';
import { calledRegion } from '../../byok/kinds/region.js';
import { GLOBAL_REGION } from '../../catalog/policy.js';
import { profileAreaOf } from '../../catalog/profile-area.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import type { CalledRegions } from '../types.js';

/** The regions that this credential calls: its own where its kind names one, else the endpoint's. */
export function regionsCalledWith(credential: Credential): CalledRegions {
  return (endpoint, provider) => {
    switch (credential.adapter) {
      case 'amazon-bedrock':
        return listed(calledRegion(credential, namedRegion(endpoint, provider)));
      case 'google-vertex':
        return listed(calledRegion(credential, endpoint.region));
      default:
        return regionsOf(endpoint, provider);
    }
  };
}

/** Where an endpoint runs unless a credential says otherwise: its own region, else its provider's; empty = global. */
export function regionsOf({ region }: Endpoint, { regions }: Provider): readonly string[] {
  return region === null ? regions : listed(region);
}

/** Where the catalogue calls a Bedrock endpoint: in its region, else in the area of its inference profile. */
function namedRegion(endpoint: Endpoint, provider: Provider): string | null {
  const area = profileAreaOf(endpoint, provider);
  return endpoint.region === null || endpoint.region === GLOBAL_REGION
    ? (area ?? provider.regions[0] ?? null)
    : endpoint.region;
}

/** The region that an attempt names: null = global, or one of several, which the provider selects. */
export function singleRegion(regions: readonly string[]): string | null {
  const [region = null, ...others] = regions;
  return others.length === 0 ? region : null;
}

function listed(region: string | null): readonly string[] {
  return region === null || region === GLOBAL_REGION ? [] : [region];
}
