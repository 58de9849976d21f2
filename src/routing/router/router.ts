/** Collects everything that the plan of a request depends on, and plans it. */

import type { Clock } from '../../base/clock.js';
import { invalid } from '../../base/problem.js';
import type { CredentialCache } from '../../byok/cache/credential-cache.js';
import type { Catalog, CatalogCache } from '../../catalog/assembled/catalog.js';
import type { ContractsOfAdapters } from '../../catalog/contracts.js';
import type { Endpoint, Format, Model } from '../../catalog/types.js';
import type { Visibility } from '../../catalog/visibility.js';
import type { Reach, RequestReach } from '../../formats/shared-capacity/reach.js';
import type { Found } from '../../formats/shared-capacity/search.js';
import type { RequestUses } from '../../formats/shared-capacity/uses.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import type { Circuit } from '../health/circuit.js';
import type { LatencyStatistics } from '../health/latency-statistics.js';
import { type FallbackChain, planFallbackChain } from '../plan/plan.js';
import { withProviders } from '../plan/preferences.js';
import type {
  CostDemand,
  DemandedReach,
  NativeDemand,
  ProviderPreferences,
  RoutedCaller,
  Sort,
} from '../types.js';
import { type UnknownModel, unknownModels } from './refusal.js';
import type { RouteFacts } from './request-facts.js';
import type { RouteCache } from './route-cache.js';

export interface RouteRequest {
  readonly caller: RoutedCaller & { readonly accountId: string };
  /** The region of the host that the request came in through. */
  readonly region: string;
  readonly facts: RouteFacts;
  readonly preferences: ProviderPreferences;
  /** Set if the request was not sent as a chat. */
  readonly native?: NativeDemand;
  /** What it reaches beyond its model. */
  readonly reach: Pick<RequestReach, 'sentAs'>;
  /** What of it not all hosts take. */
  readonly uses: Pick<RequestUses, 'sentAs' | 'fieldOf' | 'namesGeo'>;
  /** The caller's own estimate of the prompt's tokens; null = that of the facts. */
  readonly promptTokens: number | null;
  /** Set if more than prices limits its cost. */
  readonly cost?: CostDemand | null;
  /** See `formats/session/name.ts`; null = none. */
  readonly session: string | null;
}

/** The policy of the account and its guardrails, for a request through the region. Names of models are resolved. */
export type PolicyFor = (
  caller: RouteRequest['caller'],
  region: string,
  catalog: Catalog,
) => Promise<{ readonly visibility: Visibility; readonly defaultSort: Sort | null }>;

export interface RouterDependencies {
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly credentials: Pick<CredentialCache, 'keysOf' | 'sharedByProvider'>;
  /** A cache for the same credentials. */
  readonly routeCache: RouteCache;
  readonly circuit: Pick<Circuit, 'health'>;
  readonly policyFor: PolicyFor;
  readonly statistics: Pick<LatencyStatistics, 'of'>;
  readonly clock: Clock;
  readonly maxAttempts: number;
  /** What hosts take of requests. */
  readonly contracts: ContractsOfAdapters;
  /**
   * Whether accounts are charged. If not, requests without a price may use shared capacity as they may use own keys.
   */
  readonly isBilled: boolean;
}

export interface RoutedChain extends FallbackChain {
  /** By model id: the request's own name for the model. */
  readonly requestedAs: ReadonlyMap<string, string>;
}

/**
 * The fallback chain for a request of an account with these available funds. Throws a 400 Problem if it names no model,
 * or an unknown one.
 */
export async function route(
  dependencies: RouterDependencies,
  request: RouteRequest,
  funds: AvailableFunds,
): Promise<RoutedChain> {
  const { credentials, routeCache } = dependencies;
  const { caller, facts, preferences } = request;
  const { accountId } = caller;
  const catalog = await dependencies.catalogs.current();
  const named = modelsOf(catalog, facts);
  if (request.native?.wantsOneModel) refuseOtherModels(named, facts);
  // All of this is cached, so awaiting it in parallel would cost more than it saves.
  const policy = await dependencies.policyFor(caller, request.region, catalog);
  const stored = await credentials.keysOf(accountId, caller.workspaceId);
  const shared = await credentials.sharedByProvider();
  const now = dependencies.clock.now();
  const chain = planFallbackChain(
    named.map(({ model }) => model),
    {
      providers: catalog.providers,
      caller,
      policy: policy.visibility,
      keys: routeCache.routableKeys(stored, catalog),
      sharedProviders: routeCache.sharedCoverage(shared, catalog),
      resolveModelId: catalog.resolveId,
      preferences: sortedBy(policy.defaultSort, withProviders(preferences, catalog.providers.keys())),
      usedParameters: preferences.requireParameters ? facts.usedParameters() : [],
      native: request.native ?? null,
      reach: resolvedOnce(request.reach, catalog),
      uses: request.uses,
      contracts: dependencies.contracts,
      cost: request.cost ?? null,
      modes: facts.modes,
      promptTokens: request.promptTokens ?? facts.promptTokensLow(),
      maxTokens: facts.maxTokens,
      isBilled: dependencies.isBilled,
      hasCredits: funds.hasCredits,
      hasByokAllowance: funds.hasByokAllowance,
      session: request.session,
      statistics: (endpointId, byokKeyId) => dependencies.statistics.of({ accountId, endpointId, byokKeyId }),
      health: (endpointId, byokKeyId) =>
        dependencies.circuit.health({ accountId, endpointId, byokKeyId }, now),
      maxAttempts: dependencies.maxAttempts,
    },
    routeCache.candidatesOf,
  );
  const requestedAs = new Map(named.toReversed().map(({ model, name }) => [model.id, name]));
  return Object.assign(chain, { requestedAs });
}

/** What the request reaches in each format. Its models are resolved when they are first asked for. */
function resolvedOnce(reach: RouteRequest['reach'], catalog: Catalog): (format: Format) => DemandedReach {
  const known: { [F in Format]?: DemandedReach } = {};
  return (format) => {
    known[format] ??= resolved(reach.sentAs(format), catalog);
    return known[format];
  };
}

/** The reach, with the models that it names resolved the way the request's own is. */
function resolved(reach: Reach, catalog: Catalog): DemandedReach {
  if (reach.models.length === 0 && reach.mentions.length === 0) return reach;
  const hosted = endpointsByHostName(catalog);
  const found = (one: Found) => ({
    ...one,
    model: catalog.resolve(one.name)?.model,
    hosted: hosted.get(one.name) ?? [],
  });
  const mentioned = reach.mentions.map(found);
  const known = mentioned.filter(({ model, hosted }) => model !== undefined || hosted.length > 0);
  return { ...reach, models: [...reach.models.map(found), ...known] };
}

const hostNames = new WeakMap<Catalog, ReadonlyMap<string, readonly Endpoint[]>>();

/** The endpoints, by their providers' names for the models. */
function endpointsByHostName(catalog: Catalog): ReadonlyMap<string, readonly Endpoint[]> {
  const known = hostNames.get(catalog);
  if (known !== undefined) return known;
  const named = new Map<string, Endpoint[]>();
  for (const endpoint of catalog.models.flatMap(({ endpoints }) => endpoints)) {
    const { upstreamModelId } = endpoint;
    named.set(upstreamModelId, [...(named.get(upstreamModelId) ?? []), endpoint]);
  }
  hostNames.set(catalog, named);
  return named;
}

/** Applies the account's default if the request gives no `sort`. */
function sortedBy(defaultSort: Sort | null, preferences: ProviderPreferences): ProviderPreferences {
  return preferences.sort === null && defaultSort !== null
    ? { ...preferences, sort: defaultSort }
    : preferences;
}

/** What models make of the same input may be no more comparable than two languages. */
function refuseOtherModels([first, ...others]: readonly NamedModel[], { model }: RouteFacts): void {
  const at = others.findIndex((one) => one.model.id !== first?.model.id);
  if (at < 0) return;
  const field = `models[${model === null ? at + 1 : at}]`;
  const message = `must name the same model as the others: what two models make of an input can't be compared`;
  throw invalid([{ field, rule: 'one_model', message }]);
}

interface NamedModel {
  readonly model: Model;
  readonly name: string;
}

/** `model` first, then `models`. The plan drops duplicates. */
function modelsOf(catalog: Catalog, { model, models }: RouteFacts): NamedModel[] {
  if (model !== null && models === null) {
    const exact = catalog.resolve(model);
    if (exact !== undefined) return [{ model: exact.model, name: model }];
  }
  const named = [
    ...(model === null ? [] : [{ field: 'model', name: model }]),
    ...(models ?? []).map((name, index) => ({ field: `models[${index}]`, name })),
  ];
  if (named.length === 0) {
    throw invalid([
      { field: 'model', rule: 'required', message: 'must name a model, or models a list of them' },
    ]);
  }
  const unknown: UnknownModel[] = [];
  const known = named.flatMap((entry) => {
    const resolution = catalog.resolve(entry.name);
    if (resolution === undefined) unknown.push(entry);
    return resolution === undefined ? [] : [{ model: resolution.model, name: entry.name }];
  });
  if (unknown.length > 0) {
    throw unknownModels(
      unknown,
      catalog.models.map(({ id }) => id),
    );
  }
  return known;
}
