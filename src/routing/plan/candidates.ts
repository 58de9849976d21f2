import type { Candidate, EndpointKeyPair } from './candidate.js';
/**
 * The candidates of a model: its endpoints, each on shared capacity and with every key, checked against everything
 * except the request. They are the same for all requests of a caller with the same data policy.
 */

import { compareDecimals } from '../../base/money.js';
import { sectionOf } from '../../byok/types.js';
import { compareEndpoints, isFree, sortingPrice } from '../../catalog/price.js';
import type { Model } from '../../catalog/types.js';
import type { Attempt, EndpointHealth, EvaluationContext, Exclusion, RoutableKey } from '../types.js';
import { findHidden, findUnavailable, judgeKeyWithoutEndpoint } from './checks.js';
import { excludedAs, exclusionOf } from './exclusion.js';
import {
  type DataDemands,
  keysForCaller,
  type ModelContext,
  modelContextOf,
  pairOf,
  singleRegion,
} from './model-context.js';
import { inDefaultOrder } from './order.js';

/**
 * Everything that a plan of the model must account for, each exactly once, except keys that do not admit the caller.
 */
export interface Candidates {
  /** In the order of attempts for a request without preferences while nothing is cooling. */
  readonly eligible: readonly Candidate[];
  /** Excluded whatever the request demands. */
  readonly ruledOut: readonly Exclusion[];
}

export function candidatesOf(model: Model, context: EvaluationContext, demands: DataDemands): Candidates {
  const admitted = keysForCaller(context);
  const modelContext = modelContextOf(model, context, admitted, demands);
  const { eligible, ruledOut } = judged(modelContext, [null, ...admitted]);
  return { eligible: inDefaultOrder(eligible), ruledOut };
}

/** The model's endpoints with each of the keys; a null key stands for shared capacity. */
function judged(
  modelContext: ModelContext,
  keys: readonly (RoutableKey | null)[],
): { readonly eligible: Candidate[]; readonly ruledOut: Exclusion[] } {
  const { model } = modelContext;
  const { pairs, keysWithoutEndpoint } = pairEndpointsWithKeys(modelContext, keys);
  const priceRanks = priceRanksOf(model);
  const eligible: Candidate[] = [];
  const ruledOut: Exclusion[] = [];
  for (const pair of pairs) {
    const { id } = pair.endpoint;
    const hidden = findHidden(pair, modelContext);
    if (hidden === undefined) eligible.push(candidateOf(pair, priceRanks.get(id) ?? CHEAPEST, modelContext));
    else ruledOut.push(exclusionOf(pair.providerSlug, id, pair.key?.key ?? null, hidden));
  }
  for (const routable of keysWithoutEndpoint) {
    const { key } = routable;
    const exclusion = judgeKeyWithoutEndpoint({ providerSlug: key.provider, key: routable }, modelContext);
    ruledOut.push(exclusionOf(key.provider, null, key, exclusion));
  }
  return { eligible, ruledOut };
}

const HEALTHY: EndpointHealth = { state: 'ok' };

type PriceRank = Pick<Candidate, 'priceRank' | 'priceClass'>;

const CHEAPEST: PriceRank = { priceRank: 0, priceClass: 0 };

/** By the endpoint's id. */
function priceRanksOf({ endpoints }: Model): ReadonlyMap<string, PriceRank> {
  const sorted = endpoints.toSorted(compareEndpoints);
  let priceClass = 0;
  return new Map(
    sorted.map(({ id, pricing }, priceRank) => {
      const previous = sorted[priceRank - 1]?.pricing ?? pricing;
      if (compareDecimals(sortingPrice(previous), sortingPrice(pricing)) !== 0) priceClass = priceRank;
      return [id, { priceRank, priceClass }];
    }),
  );
}

/** Everything that a plan must account for, each exactly once. */
interface EndpointKeyPairs {
  readonly pairs: readonly EndpointKeyPair[];
  /** Keys whose provider has the model, but whose credential is not for it. */
  readonly keysWithoutEndpoint: readonly RoutableKey[];
}

/**
 * Pairs the model's endpoints with the keys whose credential covers the model. Endpoints of providers that are not in
 * the catalogue are skipped; a checked catalogue has none.
 */
function pairEndpointsWithKeys(
  context: ModelContext,
  keys: readonly (RoutableKey | null)[],
): EndpointKeyPairs {
  const { model, providers } = context;
  const pairs = model.endpoints.flatMap((endpoint) => {
    const provider = providers.get(endpoint.provider);
    if (provider === undefined) return [];
    return keys
      .filter((one) => one === null || (one.key.provider === provider.slug && one.servesModel(model.id)))
      .map((key) => pairOf(endpoint, provider, key, context));
  });
  const paired = new Set(pairs.map(({ key }) => key));
  const related = new Set(model.endpoints.map(({ provider }) => provider));
  const keysWithoutEndpoint = keys
    .filter((key) => key !== null)
    .filter((key) => related.has(key.key.provider) && !paired.has(key));
  return { pairs, keysWithoutEndpoint };
}

function candidateOf(pair: EndpointKeyPair, price: PriceRank, modelContext: ModelContext): Candidate {
  const { endpoint, provider, regions } = pair;
  const key = pair.key?.key ?? null;
  const unavailable = findUnavailable(pair, modelContext);
  const attempt: Attempt = {
    endpoint,
    provider,
    modelReasoning: modelContext.model.reasoning,
    key,
    section: key === null ? 'shared' : sectionOf(key),
    region: singleRegion(regions),
    health: HEALTHY,
  };
  return {
    attempt,
    unavailable: unavailable === undefined ? null : excludedAs(attempt, unavailable),
    isFree: isFree(endpoint.pricing),
    ...price,
  };
}
