/**
 * The ways of serving a model, judged as far as one standpoint can tell: the part of a plan that is the same for every
 * request that makes the same demands on data policies.
 */
import { sectionOf } from '../byok/types.js';
import { compareEndpoints } from '../catalog/price.js';
import type { Model } from '../catalog/types.js';
import { singleRegion } from './called-regions.js';
import { type Candidate, findCandidates } from './candidate.js';
import { findHidden, findUnavailable, judgeKeyWithoutEndpoint } from './checks.js';
import { excludedAs, exclusionOf } from './exclusion.js';
import { inUsualOrder } from './order.js';
import { isFree } from './price.js';
import { type DataDemands, type Situation, situationOf } from './situation.js';
import type { Attempt, Exclusion, Standpoint } from './types.js';

/** A way that no reason hides which is evaluated before the request's own checks. */
export interface Way {
  /** What becomes of it unless it is cooling. */
  readonly attempt: Attempt;
  /** What excludes it where the request's own checks don't; null when nothing does. */
  readonly unavailable: Exclusion | null;
  /** Whether serving by it can cost anything at list price. */
  readonly isFree: boolean;
  /** Position among the model's endpoints, the cheapest first; unique. */
  readonly cheapness: number;
}

/** Everything that a plan of the model must account for, each thing once. */
export interface Ways {
  /** In the order of attempts for a request that asks for none, while nothing cools. */
  readonly open: readonly Way[];
  /** What is excluded whatever a request asks for. */
  readonly closed: readonly Exclusion[];
}

/** Finds and judges all ways of the model. */
export function waysOf(model: Model, standpoint: Standpoint, demands: DataDemands): Ways {
  const situation = situationOf(model, standpoint, demands);
  const { candidates, keysWithoutEndpoint } = findCandidates(model, standpoint);
  const byPrice = model.endpoints.toSorted(compareEndpoints).map(({ id }) => id);
  const open: Way[] = [];
  const closed: Exclusion[] = [];
  for (const candidate of candidates) {
    const { id } = candidate.endpoint;
    const hidden = findHidden(candidate, situation);
    if (hidden === undefined) open.push(wayOf(candidate, byPrice.indexOf(id), situation));
    else closed.push(exclusionOf(candidate.providerSlug, id, candidate.key?.key ?? null, hidden));
  }
  for (const routable of keysWithoutEndpoint) {
    const { key } = routable;
    const finding = judgeKeyWithoutEndpoint({ providerSlug: key.provider, key: routable }, situation);
    closed.push(exclusionOf(key.provider, null, key, finding));
  }
  return { open: inUsualOrder(open), closed };
}

function wayOf(candidate: Candidate, cheapness: number, situation: Situation): Way {
  const { endpoint, provider, regions } = candidate;
  const key = candidate.key?.key ?? null;
  const unavailable = findUnavailable(candidate, situation);
  const attempt: Attempt = {
    endpoint,
    provider,
    modelReasoning: situation.model.reasoning,
    key,
    section: key === null ? 'shared' : sectionOf(key),
    region: singleRegion(regions),
    standing: { state: 'ok' },
  };
  return {
    attempt,
    unavailable: unavailable === undefined ? null : excludedAs(attempt, unavailable),
    isFree: isFree(endpoint.pricing),
    cheapness,
  };
}
