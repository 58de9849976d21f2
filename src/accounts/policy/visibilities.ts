import type { Catalog } from '../../catalog/catalog.js';
import type { Visibility } from '../../catalog/visibility.js';
import { type CallerPolicy, resolvePolicy } from './policy.js';

export type Visibilities = (policy: CallerPolicy, region: string, catalog: Catalog) => Visibility;

interface Resolved {
  readonly catalog: Catalog;
  readonly visibility: Visibility;
}

/**
 * Caches the result for each policy and region until the catalogue changes. The same policy gives the same object, so
 * that callers can key caches of their own by it. There are few regions, since the operator configures them.
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
