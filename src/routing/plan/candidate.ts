import type { Endpoint, Provider } from '../../catalog/types.js';
import type { Attempt, Exclusion, RoutableKey } from '../types.js';

/** A candidate that has passed all checks that come before the request's own. */
export interface Candidate {
  /** The attempt that it becomes unless it is cooling. */
  readonly attempt: Attempt;
  /** Why it is excluded if the request's own checks pass; null = it is not. */
  readonly unavailable: Exclusion | null;
  /** Whether its list prices are all 0. */
  readonly isFree: boolean;
  /** Position among the model's endpoints, the cheapest first; unique. */
  readonly priceRank: number;
  /** As `priceRank`, but the same for endpoints of the same price. */
  readonly priceClass: number;
}

/** A provider that is called with a key, or on shared capacity (`key` is null). */
export interface Access {
  readonly providerSlug: string;
  readonly key: RoutableKey | null;
}

/** An endpoint that is called with a key or on shared capacity. */
export interface EndpointKeyPair extends Access {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The regions that may actually be called; empty = global. */
  readonly regions: readonly string[];
}
