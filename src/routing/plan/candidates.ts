/**
 * The candidates of a model, judged by everything but the request: the part of a plan that is the same for all requests
 * of a caller with the same demands on data policies.
 */
import { sectionOf } from '../../byok/types.js';
import { compareEndpoints } from '../../catalog/price.js';
import type { Model } from '../../catalog/types.js';
import type { Attempt, EvaluationContext, Exclusion } from '../types.js';
import { singleRegion } from './called-regions.js';
import { findHidden, findUnavailable, judgeKeyWithoutEndpoint } from './checks.js';
import { type EndpointKeyPair, pairEndpointsWithKeys } from './endpoint-key-pairs.js';
import { excludedAs, exclusionOf } from './exclusion.js';
import { type DataDemands, type ModelContext, modelContextOf } from './model-context.js';
import { inUsualOrder } from './order.js';
import { isFree } from './price.js';

/** A candidate that has passed all checks that are evaluated before the request's own. */
export interface Candidate {
  /** What it becomes unless it is cooling. */
  readonly attempt: Attempt;
  /** What excludes it after the request's own checks have passed; null = nothing. */
  readonly unavailable: Exclusion | null;
  /** Whether nothing is charged for it at list price. */
  readonly isFree: boolean;
  /** Position of the endpoint among the model's, the cheapest first; unique. */
  readonly priceRank: number;
}

/** Everything that a plan of the model must account for, each exactly once. */
export interface Candidates {
  /** In the order of attempts of a request without preferences, while nothing cools. */
  readonly eligible: readonly Candidate[];
  /** Excluded whatever the request demands. */
  readonly ruledOut: readonly Exclusion[];
}

export function candidatesOf(model: Model, context: EvaluationContext, demands: DataDemands): Candidates {
  const modelContext = modelContextOf(model, context, demands);
  const { pairs, keysWithoutEndpoint } = pairEndpointsWithKeys(model, context);
  const byPrice = model.endpoints.toSorted(compareEndpoints).map(({ id }) => id);
  const eligible: Candidate[] = [];
  const ruledOut: Exclusion[] = [];
  for (const pair of pairs) {
    const { id } = pair.endpoint;
    const hidden = findHidden(pair, modelContext);
    if (hidden === undefined) eligible.push(candidateOf(pair, byPrice.indexOf(id), modelContext));
    else ruledOut.push(exclusionOf(pair.providerSlug, id, pair.key?.key ?? null, hidden));
  }
  for (const routable of keysWithoutEndpoint) {
    const { key } = routable;
    const exclusion = judgeKeyWithoutEndpoint({ providerSlug: key.provider, key: routable }, modelContext);
    ruledOut.push(exclusionOf(key.provider, null, key, exclusion));
  }
  return { eligible: inUsualOrder(eligible), ruledOut };
}

function candidateOf(pair: EndpointKeyPair, priceRank: number, modelContext: ModelContext): Candidate {
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
    priceRank,
  };
}
