/**
 * What a model's candidates are checked against. It includes what the caller's BYOK keys remove, and which models and
 * regions credentials cover.
 */

import type { CredentialCache, Opened } from '../../byok/cache/credential-cache.js';
import { filterReason } from '../../byok/filters.js';
import { isUsableIn } from '../../byok/further-workspaces.js';
import type { SharedCredential, StoredKey } from '../../byok/keys/ports.js';
import type { Credential } from '../../byok/kinds/credential.js';
import { servesModel } from '../../byok/kinds/credential-for-model.js';
import { calledRegion } from '../../byok/kinds/region.js';
import type { ByokKey } from '../../byok/types.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import { calledIn } from '../../catalog/prices/geographies.js';
import type { AdapterName, Endpoint, Model, Provider } from '../../catalog/types.js';
import { GLOBAL_REGION, profileAreaOf, type Visibility } from '../../catalog/visibility.js';
import type {
  CalledRegions,
  CredentialCoverage,
  EvaluationContext,
  ProviderPreferences,
  RoutableKey,
} from '../types.js';
import type { EndpointKeyPair } from './candidate.js';

/** The data policies that a request demands; null and false demand nothing. */
export type DataDemands = Pick<ProviderPreferences, 'zdr' | 'dataCollection'>;

/** The evaluation context for one model. Its policy is tightened by the data policy that the request demands. */
export interface ModelContext extends EvaluationContext {
  readonly model: Model;
  /** Providers whose shared endpoints an always-use key (`is_required`) removes. */
  readonly alwaysUseProviders: ReadonlySet<string>;
  /** Providers whose shared endpoints a BYOK-only key (`is_byok_only`) removes. */
  readonly byokOnlyProviders: ReadonlySet<string>;
}

/** The keys that the caller's workspace may use and that admit the caller. */
export function keysForCaller({ keys, caller }: EvaluationContext): readonly RoutableKey[] {
  return keys.admittedTo(caller).filter(({ key }) => isUsableIn(key, caller.workspaceId));
}

/** `admitted`: the context's `keysForCaller`. */
export function modelContextOf(
  model: Model,
  context: EvaluationContext,
  admitted: readonly RoutableKey[],
  demands: DataDemands,
): ModelContext {
  const { providers, caller, policy, keys, sharedProviders, resolveModelId } = context;
  const callersKeys = admitted.map(({ key }) => key);
  // Whether such a key can be used in the end (its credential opens, its region or data policy satisfies) doesn't
  // matter: who says "always use" gets a failure then, not a charge for shared capacity. See
  // docs/routing.md#byok-keys.
  const required = callersKeys.filter(
    (key) => key.isRequired && filterReason(key, model.id, caller, resolveModelId) === null,
  );
  return {
    providers,
    caller,
    policy: tightened(policy, demands),
    keys,
    sharedProviders,
    resolveModelId,
    model,
    alwaysUseProviders: providersOf(required),
    byokOnlyProviders: providersOf(callersKeys.filter((key) => key.isByokOnly)),
  };
}

/**
 * A stored key with the coverage of its credential. The credential is opened when the coverage is first asked for, and
 * only if credentials of its kind differ in coverage. If it can't be opened, coverage is full.
 */
export function routableKey(
  cache: Pick<CredentialCache, 'open'>,
  catalog: Catalog,
  stored: StoredKey,
): RoutableKey {
  return new StoredRoutableKey(cache, catalog, stored);
}

/** A class without closures, for providers whose credentials do not differ: there may be thousands of keys. */
class StoredRoutableKey implements RoutableKey {
  readonly regionsFor: CalledRegions;
  readonly servesModel: RoutableKey['servesModel'];
  readonly #cache: Pick<CredentialCache, 'open'>;
  readonly #catalog: Catalog;
  readonly #stored: StoredKey;
  /** null = not computed yet. */
  #coverage: CredentialCoverage | undefined | null = null;

  constructor(cache: Pick<CredentialCache, 'open'>, catalog: Catalog, stored: StoredKey) {
    this.#cache = cache;
    this.#catalog = catalog;
    this.#stored = stored;
    const adapter = this.#provider?.adapter;
    const isRestricted = adapter !== undefined && RESTRICTED_BY_CREDENTIAL[adapter];
    this.regionsFor = isRestricted
      ? (endpoint, provider) => this.#restriction.regionsFor(endpoint, provider)
      : FULL_COVERAGE.regionsFor;
    this.servesModel = isRestricted
      ? (modelId) => this.#restriction.servesModel(modelId)
      : FULL_COVERAGE.servesModel;
  }

  get key(): ByokKey {
    return this.#stored.key;
  }

  get usable(): boolean {
    return this.#opened !== undefined;
  }

  get #provider(): Provider | undefined {
    return this.#catalog.providers.get(this.#stored.key.provider);
  }

  get #restriction(): CredentialCoverage {
    return this.#opened ?? FULL_COVERAGE;
  }

  get #opened(): CredentialCoverage | undefined {
    if (this.#coverage === null) this.#coverage = this.#open();
    return this.#coverage;
  }

  #open(): CredentialCoverage | undefined {
    const provider = this.#provider;
    const opened = provider && this.#cache.open(this.#stored, provider.adapter);
    return coverageOfOpened(opened, this.#catalog.resolveId);
  }
}

/** Whether credentials may name regions or models. For others it only matters whether they can be used. */
const RESTRICTED_BY_CREDENTIAL: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: true,
  'amazon-bedrock': true,
  'google-vertex': true,
  demo: false,
};

/** Whether providers may be called without a credential. */
const NEEDS_NO_CREDENTIAL: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: false,
  'amazon-bedrock': false,
  'google-vertex': false,
  demo: true,
};

/** The coverage of shared capacity, by the slugs of providers whose shared credential can be used. */
export function sharedCoverage(
  cache: Pick<CredentialCache, 'openShared'>,
  { providers, resolveId }: Catalog,
  stored: ReadonlyMap<string, SharedCredential>,
): ReadonlyMap<string, CredentialCoverage> {
  const shared = new Map<string, CredentialCoverage>();
  for (const { slug, adapter, credential: demanded } of providers.values()) {
    const credential = stored.get(slug);
    const opened = credential && cache.openShared(credential, adapter);
    const coverage = coverageOfOpened(opened, resolveId);
    if (coverage !== undefined) shared.set(slug, coverage);
    else if (NEEDS_NO_CREDENTIAL[adapter] || (demanded === 'none' && credential === undefined))
      shared.set(slug, FULL_COVERAGE);
  }
  return shared;
}

export function coverageOf(
  credential: Credential,
  resolveModelId: (name: string) => string,
): CredentialCoverage {
  if (!RESTRICTED_BY_CREDENTIAL[credential.adapter]) return FULL_COVERAGE;
  return {
    regionsFor: regionsCalledWith(credential),
    servesModel: (modelId) => servesModel(credential, modelId, resolveModelId),
  };
}

/** The coverage without any restriction: everything in the catalogue. */
export const FULL_COVERAGE: CredentialCoverage = { regionsFor: regionsOf, servesModel: () => true };

/** The regions that this credential calls: its own if its kind names one, else the endpoint's. */
export function regionsCalledWith(credential: Credential): CalledRegions {
  return (endpoint, provider) => {
    switch (credential.adapter) {
      case 'amazon-bedrock':
        return listed(calledRegion(credential, namedRegion(endpoint, provider)));
      case 'google-vertex':
        return listed(calledRegion(credential, endpoint.region));
      case 'openai':
      case 'anthropic':
      case 'azure':
      case 'demo':
        return regionsOf(endpoint, provider);
    }
  };
}

/** An endpoint that is called with the key, or on shared capacity (null). */
export function pairOf(
  endpoint: Endpoint,
  provider: Provider,
  key: RoutableKey | null,
  { sharedProviders }: Pick<EvaluationContext, 'sharedProviders'>,
): EndpointKeyPair {
  const coverage = key ?? sharedProviders.get(provider.slug) ?? FULL_COVERAGE;
  const regions = coverage.regionsFor(endpoint, provider);
  const called = calledIn(endpoint, provider, singleRegion(regions));
  return { providerSlug: provider.slug, key, endpoint: called, provider, regions };
}

/**
 * Where an endpoint runs unless a credential says otherwise: in its own region, else its provider's; empty = global.
 */
function regionsOf({ region }: Endpoint, { regions }: Provider): readonly string[] {
  return region === null ? regions : listed(region);
}

/** The region that an attempt names: null = global, or one of several that the provider chooses from. */
export function singleRegion(regions: readonly string[]): string | null {
  const [region = null, ...others] = regions;
  return others.length === 0 ? region : null;
}

function providersOf(keys: readonly ByokKey[]): ReadonlySet<string> {
  return new Set(keys.map((key) => key.provider));
}

function coverageOfOpened(
  opened: Opened | undefined,
  resolveId: Catalog['resolveId'],
): CredentialCoverage | undefined {
  return opened !== undefined && 'credential' in opened
    ? coverageOf(opened.credential, resolveId)
    : undefined;
}

/** Where the catalogue calls a Bedrock endpoint: in its region, else in the area of its inference profile. */
function namedRegion(endpoint: Endpoint, provider: Provider): string | null {
  const area = profileAreaOf(endpoint, provider);
  return endpoint.region === null || endpoint.region === GLOBAL_REGION
    ? (area ?? provider.regions[0] ?? null)
    : endpoint.region;
}

function listed(region: string | null): readonly string[] {
  return region === null || region === GLOBAL_REGION ? [] : [region];
}

/** The policy, tightened by what a request demands. */
export function tightened(policy: Visibility, { zdr, dataCollection }: DataDemands): Visibility {
  return {
    ...policy,
    zdr: policy.zdr || zdr,
    denyDataCollection: policy.denyDataCollection || dataCollection === 'deny',
  };
}
