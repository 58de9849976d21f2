import type { Credential } from './credential.js';

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
      return credential.region ?? named ?? DEFAULT_BEDROCK_REGION;
    case 'google-vertex':
      return credential.region;
    case 'openai':
    case 'anthropic':
    case 'azure':
    case 'demo':
      return named;
  }
}
