/**
 * What routing caches between requests. Everything is computed from immutable objects and cached by their identity: a
 * change of the catalogue, a policy, a key or a shared credential replaces these objects, so a stale entry is never
 * found. Nothing that depends on the request or on time is cached.
 */

import type { KeyIndex } from '../byok/key-index.js';
import type { SharedCredential, StoredKey } from '../byok/ports.js';
import type { CredentialCache } from '../byok/vault/credential-cache.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Model } from '../catalog/types.js';
import type { Visibility } from '../catalog/visibility.js';
import { type Candidates, candidatesOf } from './plan/candidates.js';
import { type DataDemands, routableKey, sharedCoverage } from './plan/model-context.js';
import type { CredentialCoverage, EvaluationContext, RoutableKey, RoutableKeys } from './types.js';

/** Returns what the underlying functions return, computed once. */
export interface RouteCache {
  routableKeys(stored: KeyIndex<StoredKey>, catalog: Catalog): RoutableKeys;
  sharedCoverage(
    stored: ReadonlyMap<string, SharedCredential>,
    catalog: Catalog,
  ): ReadonlyMap<string, CredentialCoverage>;
  readonly candidatesOf: typeof candidatesOf;
}

/** An empty cache over the credentials of `cache`. */
export function createRouteCache(cache: Pick<CredentialCache, 'open' | 'openShared'>): RouteCache {
  const routableOf = memoized((one: StoredKey, catalog) => routableKey(cache, catalog, one));
  return {
    routableKeys: memoized((stored, catalog) => {
      const routable = (one: StoredKey) => routableOf(one, catalog);
      const byProvider = new Map<string, readonly RoutableKey[]>();
      return {
        admittedTo: (caller) => stored.admittedTo(caller).map(routable),
        naming: (caller) => stored.naming(caller).map(routable),
        get providers() {
          return stored.providers;
        },
        ofProvider(slug) {
          const known = byProvider.get(slug) ?? stored.ofProvider(slug).map(routable);
          byProvider.set(slug, known);
          return known;
        },
      };
    }),
    sharedCoverage: memoized((stored, catalog) => sharedCoverage(cache, catalog, stored)),
    candidatesOf: cacheCandidates(MAX_CACHED_CANDIDATES),
  };
}

/** At some 500 bytes each. */
const MAX_CACHED_CANDIDATES = 50_000;

/** Caches the last result for each first argument, as long as that lives and the catalogue stays the same. */
function memoized<First extends object, Value>(
  make: (first: First, catalog: Catalog) => Value,
): (first: First, catalog: Catalog) => Value {
  const results = new WeakMap<First, { readonly catalog: Catalog; readonly value: Value }>();
  return (first, catalog) => {
    const cached = results.get(first);
    if (cached?.catalog === catalog) return cached.value;
    const value = make(first, catalog);
    results.set(first, { catalog, value });
    return value;
  };
}

/** The candidates in one context: for each model one entry per combination of demands. */
interface ContextEntry {
  readonly context: EvaluationContext;
  readonly byModel: Map<Model, Partial<Record<DemandKey, Candidates>>>;
}

/** `candidatesOf`, cached by the policy of the context. The cache is emptied once it exceeds `maxCandidates`. */
export function cacheCandidates(maxCandidates: number): typeof candidatesOf {
  let byPolicy = new WeakMap<Visibility, ContextEntry>();
  let count = 0;
  return (model, context, demands) => {
    const entry = entryFor(byPolicy, context);
    const byDemands = entry.byModel.get(model);
    const key = demandKey(demands);
    const cached = byDemands?.[key];
    if (cached !== undefined) return cached;
    const candidates = candidatesOf(model, context, demands);
    count += 1 + candidates.eligible.length + candidates.ruledOut.length;
    if (count > maxCandidates) {
      byPolicy = new WeakMap();
      count = 0;
    } else {
      entry.byModel.set(model, { ...byDemands, [key]: candidates });
    }
    return candidates;
  };
}

function entryFor(byPolicy: WeakMap<Visibility, ContextEntry>, context: EvaluationContext): ContextEntry {
  const known = byPolicy.get(context.policy);
  if (known !== undefined && isSameContext(known.context, context)) return known;
  const { providers, caller, policy, keys, sharedProviders, resolveModelId } = context;
  const entry: ContextEntry = {
    context: { providers, caller, policy, keys, sharedProviders, resolveModelId },
    byModel: new Map(),
  };
  byPolicy.set(policy, entry);
  return entry;
}

/** Compares the objects by identity. */
function isSameContext(a: EvaluationContext, b: EvaluationContext): boolean {
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
