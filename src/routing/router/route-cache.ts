/**
 * What routing caches between requests. Everything is computed from immutable objects and cached by their identity: a
 * change of the catalogue, a policy, a key or a shared credential replaces these objects, so a stale entry is never
 * found. Nothing that depends on the request or on time is cached.
 */

import type { CredentialCache } from '../../byok/cache/credential-cache.js';
import type { KeyIndex } from '../../byok/cache/key-index.js';
import type { SharedCredential, StoredKey } from '../../byok/keys/ports.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import type { Model } from '../../catalog/types.js';
import type { Visibility } from '../../catalog/visibility.js';
import { type Candidates, candidatesOf } from '../plan/candidates.js';
import { type DataDemands, routableKey, sharedCoverage } from '../plan/model-context.js';
import type { CredentialCoverage, EvaluationContext, RoutableKeys } from '../types.js';

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
    routableKeys: memoized((stored: KeyIndex<StoredKey>, catalog): RoutableKeys => {
      const routable = (one: StoredKey) => routableOf(one, catalog);
      return {
        providers: stored.providers,
        admittedTo: (caller) => stored.admittedTo(caller).map(routable),
        naming: (caller) => stored.naming(caller).map(routable),
        ofProvider: (slug) => stored.ofProvider(slug).map(routable),
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

/** For each model one entry per combination of demands. */
type ByModel = Map<Model, Partial<Record<DemandKey, Candidates>>>;

type CallersContext = Omit<EvaluationContext, 'caller'>;

/** The candidates in one context, for each caller that a key names, and for all others of a workspace. */
interface ContextEntry {
  readonly context: CallersContext;
  readonly byCaller: Map<string, ByModel>;
}

/** `candidatesOf`, cached by the policy of the context. The cache is emptied once it exceeds `maxCandidates`. */
export function cacheCandidates(maxCandidates: number): typeof candidatesOf {
  let byPolicy = new WeakMap<Visibility, ContextEntry>();
  let count = 0;
  return (model, context, demands) => {
    const byModel = modelsFor(byPolicy, context);
    const byDemands = byModel.get(model);
    const key = demandKey(demands);
    const cached = byDemands?.[key];
    if (cached !== undefined) return cached;
    const candidates = candidatesOf(model, context, demands);
    count += 1 + candidates.eligible.length + candidates.ruledOut.length;
    if (count > maxCandidates) {
      byPolicy = new WeakMap();
      count = 0;
    } else {
      byModel.set(model, { ...byDemands, [key]: candidates });
    }
    return candidates;
  };
}

function modelsFor(byPolicy: WeakMap<Visibility, ContextEntry>, context: EvaluationContext): ByModel {
  const { caller, policy } = context;
  let entry = byPolicy.get(policy);
  if (entry === undefined || !isSameContext(entry.context, context)) {
    const { providers, keys, sharedProviders, resolveModelId } = context;
    entry = { context: { providers, policy, keys, sharedProviders, resolveModelId }, byCaller: new Map() };
    byPolicy.set(policy, entry);
  }
  // Callers that no key names are the same to every key.
  const isNamed = context.keys.naming(caller).length > 0;
  const { workspaceId, apiKeyHash, userId } = caller;
  const name = isNamed ? `${workspaceId}/${apiKeyHash}/${userId}` : workspaceId;
  const known = entry.byCaller.get(name);
  if (known !== undefined) return known;
  const byModel: ByModel = new Map();
  entry.byCaller.set(name, byModel);
  return byModel;
}

/** Compares the objects by identity. */
function isSameContext(a: CallersContext, b: CallersContext): boolean {
  return (
    a.keys === b.keys &&
    a.sharedProviders === b.sharedProviders &&
    a.providers === b.providers &&
    a.resolveModelId === b.resolveModelId
  );
}

type DemandKey = 'none' | 'zdr' | 'deny' | 'both';

function demandKey({ zdr, dataCollection }: DataDemands): DemandKey {
  if (dataCollection === 'deny') return zdr ? 'both' : 'deny';
  return zdr ? 'zdr' : 'none';
}
