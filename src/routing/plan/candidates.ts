import type { Candidate, EndpointKeyPair } from './candidate.js';
/**
 * The candidates of a model: its endpoints, each on shared capacity and with every key, checked against everything but
 * the request. They are the same for all requests of a caller with the same demands on data policies.
 */

import { compareText } from '../../base/compare-text.js';
import { compareDecimals } from '../../base/money.js';
import { type ByokKey, sectionOf } from '../../byok/types.js';
import { compareEndpoints, sortingPrice } from '../../catalog/price.js';
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import type { Attempt, EvaluationContext, Exclusion, RoutableKey } from '../types.js';
import { callerKeys } from './caller-keys.js';
import {
  findHidden,
  findUnavailable,
  isFree,
  judgeKeyWithoutEndpoint,
  type ReasonedExclusion,
} from './checks.js';
import {
  type DataDemands,
  FULL_COVERAGE,
  type ModelContext,
  modelContextOf,
  singleRegion,
} from './model-context.js';
import { inUsualOrder } from './order.js';

/** Everything that a plan of the model must account for, each exactly once. */
export interface Candidates {
  /** In the order of attempts of a request without preferences, while nothing cools. */
  readonly eligible: readonly Candidate[];
  /** Excluded whatever the request demands. */
  readonly ruledOut: readonly Exclusion[];
  /**
   * What keys come to that do not serve the caller at all, which may be most keys of a workspace: only who asks why
   * something is excluded needs them. By provider, endpoint and key. Takes as long as there are keys.
   */
  unreachable(): readonly Unreachable[];
}

/** Excluded, but for the reason: the request's own demands are reported first where there is a candidate. */
export interface Unreachable {
  readonly exclusion: Exclusion;
  readonly candidate: Candidate | null;
}

export function candidatesOf(model: Model, context: EvaluationContext, demands: DataDemands): Candidates {
  const { admitted, others } = callerKeys(context.keys, context.caller);
  const modelContext = modelContextOf(model, { ...context, keys: admitted }, demands);
  const { eligible, ruledOut } = judged(modelContext, [null, ...admitted]);
  return {
    eligible: inUsualOrder(eligible),
    ruledOut,
    unreachable() {
      const beyond = judged(modelContext, others());
      return [
        ...beyond.ruledOut.map((exclusion) => ({ exclusion, candidate: null })),
        ...beyond.eligible.flatMap((candidate) =>
          candidate.unavailable === null ? [] : [{ exclusion: candidate.unavailable, candidate }],
        ),
      ].sort((a, b) => compareExclusions(a.exclusion, b.exclusion));
    },
  };
}

/** The model's endpoints with each of the keys; null = on shared capacity. */
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

type PriceRank = Pick<Candidate, 'priceRank' | 'priceClass'>;

const CHEAPEST: PriceRank = { priceRank: 0, priceClass: 0 };

/** By the id of the endpoint. */
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

/** The exclusion of an endpoint on shared capacity, of an endpoint with a key, or of a key that has no endpoint. */
function exclusionOf(
  provider: string,
  endpointId: string | null,
  key: ByokKey | null,
  { reason, detail }: ReasonedExclusion,
): Exclusion {
  return { provider, endpointId, byokKeyId: key?.id ?? null, reason, detail };
}

/** The exclusion of what would otherwise be an attempt. */
export function excludedAs({ endpoint, key }: Attempt, exclusion: ReasonedExclusion): Exclusion {
  return exclusionOf(endpoint.provider, endpoint.id, key, exclusion);
}

/** By provider, endpoint and key; shared capacity before keys. */
export function compareExclusions(a: Exclusion, b: Exclusion): number {
  return (
    compareText(a.provider, b.provider) ||
    compareText(a.endpointId ?? '', b.endpointId ?? '') ||
    compareText(a.byokKeyId ?? '', b.byokKeyId ?? '')
  );
}

/** Everything that a plan must account for, each exactly once. */
interface EndpointKeyPairs {
  readonly pairs: readonly EndpointKeyPair[];
  /** Keys whose provider has no endpoint for the model, or which are not for the model themselves. */
  readonly keysWithoutEndpoint: readonly RoutableKey[];
}

/**
 * Pairs the model's endpoints with the keys whose credential covers the model. An endpoint whose provider isn't in the
 * catalogue is skipped; a checked catalogue has none.
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
  return { pairs, keysWithoutEndpoint: keys.filter((key) => key !== null).filter((key) => !paired.has(key)) };
}

function pairOf(
  endpoint: Endpoint,
  provider: Provider,
  key: RoutableKey | null,
  { sharedProviders }: EvaluationContext,
): EndpointKeyPair {
  const coverage = key ?? sharedProviders.get(provider.slug) ?? FULL_COVERAGE;
  const regions = coverage.regionsFor(endpoint, provider);
  return { providerSlug: provider.slug, key, endpoint, provider, regions };
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
    health: { state: 'ok' },
  };
  return {
    attempt,
    unavailable: unavailable === undefined ? null : excludedAs(attempt, unavailable),
    isFree: isFree(endpoint.pricing),
    ...price,
  };
}
