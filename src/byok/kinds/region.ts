import { callableRegion, isCallableIn, profileAreaOf } from '../../catalog/profile-area.js';
import type { Endpoint } from '../../catalog/types.js';
import type { Credential } from '../credential.js';
import type { BedrockCredential } from './amazon-bedrock.js';

/** Where a Bedrock key is tried that doesn't say its region, at an endpoint that names none (interface section 7). */
const DEFAULT_BEDROCK_REGION = 'us-east-1';

/**
 * The region that a call with this credential really reaches; null = global. A credential's own region counts
 * before the endpoint's (interface section 7).
 */
export function calledRegion(credential: Credential, endpointRegion: string | null): string | null {
  const named = endpointRegion === 'global' ? null : endpointRegion;
  switch (credential.adapter) {
    case 'amazon-bedrock':
      return bedrockRegion(credential, endpointRegion);
    case 'google-vertex':
      return credential.region;
    case 'openai':
    case 'anthropic':
    case 'azure':
    case 'demo':
      return named;
  }
}

/**
 * The region that a Bedrock credential calls: its own, else the one that the endpoint names. Of an area of inference
 * profiles, which can't be called, it is the area's default region.
 */
export function bedrockRegion({ region }: BedrockCredential, endpointRegion: string | null): string {
  return callableRegion(region ?? endpointRegion ?? DEFAULT_BEDROCK_REGION);
}

/** Whether the credential reaches the endpoint at all: an inference profile of Bedrock is called from its area alone. */
export function reaches(
  credential: Credential,
  endpoint: Pick<Endpoint, 'upstreamModelId' | 'region'>,
): boolean {
  const area = profileAreaOf(endpoint, credential);
  const region = calledRegion(credential, endpoint.region ?? area);
  return area === null || region === null || isCallableIn(area, region);
}
