import type { Endpoint } from '../../catalog/types.js';
import { callableRegion, isCallableIn, profileAreaOf } from '../../catalog/visibility.js';
import type { BedrockCredential } from './amazon-bedrock.js';
import type { Credential } from './credential.js';

/** The region for a Bedrock key and an endpoint that both name none. */
const DEFAULT_BEDROCK_REGION = 'us-east-1';

/**
 * The region that a call with this credential goes to; null = global. A credential's own region takes precedence over
 * the endpoint's.
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
 * The region that a Bedrock credential calls: its own, else the endpoint's. An area of inference profiles can't be
 * called itself and is replaced by its default region.
 */
export function bedrockRegion({ region }: BedrockCredential, endpointRegion: string | null): string {
  return callableRegion(region ?? endpointRegion ?? DEFAULT_BEDROCK_REGION);
}

/** Whether the credential can call the endpoint: Bedrock's inference profiles can only be called from their area. */
export function reaches(
  credential: Credential,
  endpoint: Pick<Endpoint, 'upstreamModelId' | 'region'>,
): boolean {
  const area = profileAreaOf(endpoint, credential);
  const region = calledRegion(credential, endpoint.region ?? area);
  return area === null || region === null || isCallableIn(area, region);
}
