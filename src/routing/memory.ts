/**
 * What routing remembers between requests. Everything here is computed from values that never change and kept beside
 * these very objects: a change of the catalogue, of a policy, of a key or of a shared credential puts new objects in
 * their place, so that nothing outdated is found. What depends on a request or on the instant is never kept.
 */
import type { CredentialBook } from '../byok/credential-book.js';
import type { SharedCredential, StoredKey } from '../byok/ports.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Model } from '../catalog/types.js';
import type { Visibility } from '../catalog/visibility.js';
import { routableKey, sharedReaches } from './reach.js';
import type { DataDemands } from './situation.js';
import type { Reach, RoutableKey, Standpoint } from './types.js';
import { type Ways, waysOf } from './ways.js';

/** The same answers as those of the functions behind it, worked out once. */
export interface RouteMemory {
  routableKeys(stored: readonly StoredKey[], catalog: Catalog): readonly RoutableKey[];
  sharedReaches(stored: ReadonlyMap<string, SharedCredential>, catalog: Catalog): ReadonlyMap<string, Reach>;
  readonly waysOf: typeof waysOf;
}

/** A memory of nothing yet, of credentials that this book opens. */
export function createRouteMemory(book: Pick<CredentialBook, 'open' | 'openShared'>): RouteMemory {
  return {
    routableKeys: besideFirst((stored, catalog) => stored.map((one) => routableKey(book, catalog, one))),
    sharedReaches: besideFirst((stored, catalog) => sharedReaches(book, catalog, stored)),
    waysOf: rememberWays(MOST_WAYS),
  };
}

/** Ways kept at once, at some 500 bytes each. */
const MOST_WAYS = 50_000;

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
  readonly standpoint: Standpoint;
  readonly byModel: Map<Model, Partial<Record<DemandKey, Ways>>>;
}

/** `waysOf`, remembered by the policy of the standpoint. As soon as more than `bound` ways are kept all are forgotten. */
export function rememberWays(bound: number): typeof waysOf {
  let byPolicy = new WeakMap<Visibility, Found>();
  let count = 0;
  return (model, standpoint, demands) => {
    const found = foundFrom(byPolicy, standpoint);
    const known = found.byModel.get(model);
    const key = demandKey(demands);
    const remembered = known?.[key];
    if (remembered !== undefined) return remembered;
    const ways = waysOf(model, standpoint, demands);
    count += 1 + ways.open.length + ways.closed.length;
    if (count > bound) {
      byPolicy = new WeakMap();
      count = 0;
    } else {
      found.byModel.set(model, { ...known, [key]: ways });
    }
    return ways;
  };
}

function foundFrom(byPolicy: WeakMap<Visibility, Found>, standpoint: Standpoint): Found {
  const known = byPolicy.get(standpoint.policy);
  if (known !== undefined && isSame(known.standpoint, standpoint)) return known;
  const { providers, caller, policy, keys, sharedProviders, resolveModelId } = standpoint;
  const found: Found = {
    standpoint: { providers, caller, policy, keys, sharedProviders, resolveModelId },
    byModel: new Map(),
  };
  byPolicy.set(policy, found);
  return found;
}

/** Whether both are made of the very same objects. */
function isSame(a: Standpoint, b: Standpoint): boolean {
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
