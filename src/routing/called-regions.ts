import type { Credential } from '../byok/credential.js';
import { calledRegion } from '../byok/region.js';
import { GLOBAL_REGION, regionsOf } from './policy.js';
import type { CalledRegions } from './types.js';

/** The regions that this credential calls: its own choice where its kind has one (interface section 7). */
export function regionsCalledWith(credential: Credential): CalledRegions {
  return (endpoint, provider) => {
    switch (credential.adapter) {
      case 'amazon-bedrock':
      case 'google-vertex': {
        const region = calledRegion(credential, endpoint.region);
        return region === null || region === GLOBAL_REGION ? [] : [region];
      }
      default:
        return regionsOf(endpoint, provider);
    }
  };
}
