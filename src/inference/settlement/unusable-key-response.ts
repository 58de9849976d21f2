import type { UnusableKey } from '../../routing/plan/plan.js';
import type { ProviderResponse } from '../ports/generation.js';

/** Shows in the record why a key of the caller was not used, which explains a charge for shared capacity. */
export function credentialResponse({ provider, endpointId, byokKeyId }: UnusableKey): ProviderResponse {
  return {
    provider: provider.slug,
    provider_name: provider.name,
    status: null,
    error: 'credential',
    is_byok: true,
    byok_key_id: byokKeyId,
    endpoint: endpointId,
    latency_ms: 0,
    adapted: null,
  };
}
