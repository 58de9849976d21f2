import type { Endpoint, Provider } from '../../catalog/types.js';
import type { Attempt, Exclusion, RoutableKey } from '../types.js';

/** A candidate that has passed all checks that are evaluated before the request's own. */
export interface Candidate {
  /** What it becomes unless it is cooling. */
  readonly attempt: Attempt;
  /** What excludes it after the request's own checks have passed; null = nothing. */
  readonly unavailable: Exclusion | null;
  /** Whether nothing is charged for it at list price. */
  readonly isFree: boolean;
  /** Position of the endpoint among the model's, the cheapest first; unique. */
  readonly priceRank: number;
  /** The same for endpoints of the same price; in the order of `priceRank`. */
  readonly priceClass: number;
}

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
