/** What may become an attempt: each endpoint on shared capacity, and each pair of a key and an endpoint of its provider. */
import type { Endpoint, Provider } from '../catalog/types.js';
import { regionsOf } from './called-regions.js';
import type { PlanInput, RoutableKey } from './types.js';

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
  /** Keys whose provider has no endpoint for the model. */
  readonly keysWithoutEndpoint: readonly RoutableKey[];
  /** Endpoints, with or without key, of a provider that the catalogue lacks. */
  readonly orphans: readonly (Access & { readonly endpoint: Endpoint })[];
}

/** Finds all candidates of the model among its endpoints and the keys of the caller's workspace (spec 4.5.4). */
export function findCandidates(input: PlanInput): Candidates {
  const keys = input.keys.filter(({ key }) => key.workspaceId === input.caller.workspaceId);
  const candidates: Candidate[] = [];
  const orphans: (Access & { endpoint: Endpoint })[] = [];
  for (const endpoint of input.model.endpoints) {
    const providerSlug = endpoint.provider;
    const provider = input.providers.get(providerSlug);
    for (const key of [null, ...keys.filter((candidate) => candidate.key.provider === providerSlug)]) {
      if (provider === undefined) {
        orphans.push({ providerSlug, key, endpoint });
        continue;
      }
      const calledRegions = key?.regionsFor ?? input.sharedProviders.get(providerSlug) ?? regionsOf;
      const regions = calledRegions(endpoint, provider);
      candidates.push({ providerSlug, key, endpoint, provider, regions });
    }
  }
  const served = new Set(input.model.endpoints.map((endpoint) => endpoint.provider));
  const keysWithoutEndpoint = keys.filter(({ key }) => !served.has(key.provider));
  return { candidates, keysWithoutEndpoint, orphans };
}
