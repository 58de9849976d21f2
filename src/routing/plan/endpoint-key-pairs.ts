/** The raw candidates: each endpoint on shared capacity, and each pair of a key and an endpoint of its provider. */
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import type { EvaluationContext, RoutableKey } from '../types.js';
import { FULL_COVERAGE } from './credential-coverage.js';

/** A provider called with a key, or on shared capacity (`key` null). */
export interface Access {
  readonly providerSlug: string;
  readonly key: RoutableKey | null;
}

/** An endpoint called with a key or on shared capacity. */
export interface EndpointKeyPair extends Access {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The regions that may really be called; empty = global. */
  readonly regions: readonly string[];
}

/** Everything that a plan must account for, each exactly once. */
export interface EndpointKeyPairs {
  readonly pairs: readonly EndpointKeyPair[];
  /** Keys whose provider has no endpoint for the model, or which are not for the model themselves. */
  readonly keysWithoutEndpoint: readonly RoutableKey[];
}

/**
 * Pairs the model's endpoints with the keys of the caller's workspace whose credential covers the model. An endpoint
 * whose provider isn't in the catalogue is skipped; a checked catalogue has none.
 */
export function pairEndpointsWithKeys(model: Model, context: EvaluationContext): EndpointKeyPairs {
  const { providers, caller } = context;
  const keys = context.keys.filter(({ key }) => key.workspaceId === caller.workspaceId);
  const pairs = model.endpoints.flatMap((endpoint) => {
    const provider = providers.get(endpoint.provider);
    if (provider === undefined) return [];
    const own = keys.filter((one) => one.key.provider === provider.slug && one.servesModel(model.id));
    return [null, ...own].map((key) => pairOf(endpoint, provider, key, context));
  });
  const paired = new Set(pairs.map(({ key }) => key));
  return { pairs, keysWithoutEndpoint: keys.filter((key) => !paired.has(key)) };
}

function pairOf(
  endpoint: Endpoint,
  provider: Provider,
  key: RoutableKey | null,
  { sharedProviders }: EvaluationContext,
): EndpointKeyPair {
  const coverage = key ?? sharedProviders.get(provider.slug) ?? FULL_COVERAGE;
  const regions = coverage.regionsFor(endpoint, provider);
  return { providerSlug: provider.slug, key, endpoint, provider, regions };
}
