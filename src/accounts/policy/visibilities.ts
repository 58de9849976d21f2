import type { Catalog } from '../../catalog/catalog.js';
import type { Visibility } from '../../catalog/visibility.js';
import { type CallerPolicy, resolvePolicy } from './policy.js';

/** What a policy leaves visible through the region. */
export type Visibilities = (policy: CallerPolicy, region: string, catalog: Catalog) => Visibility;

interface Resolved {
  readonly catalog: Catalog;
  readonly visibility: Visibility;
}

/**
 * Resolves each policy once for a region, as long as the catalogue stays: the same policy gives the same object, so
 * that whoever computes something of it can keep that beside it. `region` is one of the operator's few.
 */
export function createVisibilities(): Visibilities {
  const byPolicy = new WeakMap<CallerPolicy, Map<string, Resolved>>();
  return (policy, region, catalog) => {
    const byRegion = byPolicy.get(policy) ?? new Map<string, Resolved>();
    byPolicy.set(policy, byRegion);
    const known = byRegion.get(region);
    if (known?.catalog === catalog) return known.visibility;
    const visibility = resolvePolicy(policy, region, catalog.resolveId);
    byRegion.set(region, { catalog, visibility });
    return visibility;
  };
}
