/** What may become an attempt: each endpoint on shared capacity, and each pair of a key and an endpoint of its provider. */
import type { Endpoint, Model, Provider } from '../catalog/types.js';
import { WHOLE_REACH } from './reach.js';
import type { RoutableKey, Standpoint } from './types.js';

/** A provider to be reached with a key, or on shared capacity (`key` null). */
export interface Access {
  readonly providerSlug: string;
  readonly key: RoutableKey | null;
}

/** A way to serve the request: an endpoint reached with a key or on shared capacity. */
export interface Candidate extends Access {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The regions that may really be called; empty = global. */
  readonly regions: readonly string[];
}

/** Everything that a plan must account for, each thing once. */
export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Keys whose provider has no endpoint for the model, or which are not for the model themselves. */
  readonly keysWithoutEndpoint: readonly RoutableKey[];
}

/**
 * Finds all candidates of the model among its endpoints and the keys of the caller's workspace that are for it
 * (spec 2.4, 4.5.4). An endpoint whose provider isn't in the catalogue doesn't exist; a catalogue has none.
 */
export function findCandidates(model: Model, standpoint: Standpoint): Candidates {
  const { providers, caller } = standpoint;
  const keys = standpoint.keys.filter(({ key }) => key.workspaceId === caller.workspaceId);
  const candidates = model.endpoints.flatMap((endpoint) => {
    const provider = providers.get(endpoint.provider);
    if (provider === undefined) return [];
    const own = keys.filter((one) => one.key.provider === provider.slug && one.servesModel(model.id));
    return [null, ...own].map((key) => candidateOf(endpoint, provider, key, standpoint));
  });
  const paired = new Set(candidates.map(({ key }) => key));
  return { candidates, keysWithoutEndpoint: keys.filter((key) => !paired.has(key)) };
}

function candidateOf(
  endpoint: Endpoint,
  provider: Provider,
  key: RoutableKey | null,
  { sharedProviders }: Standpoint,
): Candidate {
  const reach = key ?? sharedProviders.get(provider.slug) ?? WHOLE_REACH;
  const regions = reach.regionsFor(endpoint, provider);
  return { providerSlug: provider.slug, key, endpoint, provider, regions };
}
