/**
 * What routing remembers between requests. Everything here is computed from values that never change and kept beside
 * these very objects: a change of the catalogue, of a policy, of a key or of a shared credential puts new objects in
 * their place, so that nothing outdated is found. What depends on a request or on the instant is never kept.
 */

import type { SharedCredential, StoredKey } from '../byok/ports.js';
import type { CredentialCache } from '../byok/vault/credential-cache.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Model } from '../catalog/types.js';
import type { Visibility } from '../catalog/visibility.js';
import { type Candidates, candidatesOf } from './plan/candidates.js';
import { routableKey, sharedCoverage } from './plan/credential-coverage.js';
import type { DataDemands } from './plan/model-context.js';
import type { CredentialCoverage, EvaluationContext, RoutableKey } from './types.js';

/** The same answers as those of the functions behind it, worked out once. */
export interface RouteCache {
  routableKeys(stored: readonly StoredKey[], catalog: Catalog): readonly RoutableKey[];
  sharedCoverage(
    stored: ReadonlyMap<string, SharedCredential>,
    catalog: Catalog,
  ): ReadonlyMap<string, CredentialCoverage>;
  readonly candidatesOf: typeof candidatesOf;
}

/** A memory of nothing yet, of credentials that this book opens. */
export function createRouteCache(cache: Pick<CredentialCache, 'open' | 'openShared'>): RouteCache {
  return {
    routableKeys: besideFirst((stored, catalog) => stored.map((one) => routableKey(cache, catalog, one))),
    sharedCoverage: besideFirst((stored, catalog) => sharedCoverage(cache, catalog, stored)),
    candidatesOf: cacheCandidates(MAX_CACHED_CANDIDATES),
  };
}

/** Ways kept at once, at some 500 bytes each. */
const MAX_CACHED_CANDIDATES = 50_000;

/** Keeps a result as long as its first argument lives and the second stays the same. */
function besideFirst<First extends object, Value>(
  make: (first: First, catalog: Catalog) => Value,
): (first: First, catalog: Catalog) => Value {
  const known = new WeakMap<First, { readonly catalog: Catalog; readonly value: Value }>();
  return (first, catalog) => {
    const kept = known.get(first);
    if (kept?.catalog === catalog) return kept.value;
    const value = make(first, catalog);
    known.set(first, { catalog, value });
    return value;
  };
}

/** The ways found from a standpoint: of each model one entry for each combination of demands. */
interface Found {
  readonly context: EvaluationContext;
  readonly byModel: Map<Model, Partial<Record<DemandKey, Candidates>>>;
}

/** `waysOf`, remembered by the policy of the standpoint. As soon as more than `bound` ways are kept all are forgotten. */
export function cacheCandidates(bound: number): typeof candidatesOf {
  let byPolicy = new WeakMap<Visibility, Found>();
  let count = 0;
  return (model, context, demands) => {
    const found = foundFrom(byPolicy, context);
    const known = found.byModel.get(model);
    const key = demandKey(demands);
    const remembered = known?.[key];
    if (remembered !== undefined) return remembered;
    const candidates = candidatesOf(model, context, demands);
    count += 1 + candidates.eligible.length + candidates.ruledOut.length;
    if (count > bound) {
      byPolicy = new WeakMap();
      count = 0;
    } else {
      found.byModel.set(model, { ...known, [key]: candidates });
    }
    return candidates;
  };
}

function foundFrom(byPolicy: WeakMap<Visibility, Found>, context: EvaluationContext): Found {
  const known = byPolicy.get(context.policy);
  if (known !== undefined && isSame(known.context, context)) return known;
  const { providers, caller, policy, keys, sharedProviders, resolveModelId } = context;
  const found: Found = {
    context: { providers, caller, policy, keys, sharedProviders, resolveModelId },
    byModel: new Map(),
  };
  byPolicy.set(policy, found);
  return found;
}

/** Whether both are made of the very same objects. */
function isSame(a: EvaluationContext, b: EvaluationContext): boolean {
  return (
    a.keys === b.keys &&
    a.sharedProviders === b.sharedProviders &&
    a.providers === b.providers &&
    a.resolveModelId === b.resolveModelId &&
    a.caller.apiKeyHash === b.caller.apiKeyHash &&
    a.caller.userId === b.caller.userId &&
    a.caller.workspaceId === b.caller.workspaceId
  );
}

type DemandKey = 'none' | 'zdr' | 'deny' | 'both';

function demandKey({ zdr, dataCollection }: DataDemands): DemandKey {
  if (dataCollection === 'deny') return zdr ? 'both' : 'deny';
  return zdr ? 'zdr' : 'none';
}
