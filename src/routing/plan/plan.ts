/**
 * The plan of one model: which ways of serving the request are tried in which order, and for every other way the
 * one reason why it is not (spec 4.5, interface section 6).
 */

import type {
  Attempt,
  EvaluationContext,
  Exclusion,
  Plan,
  PlanInput,
  ProviderPreferences,
  RequestDemands,
} from '../types.js';
import { type Candidate, type Candidates, candidatesOf } from './candidates.js';
import { compareExclusions, excludedAs } from './exclusion.js';
import { inOrder } from './order.js';
import { requestedOrder } from './preferences.js';
import { found } from './reasoned-exclusion.js';
import { exceedsFunds, refusedByRequest } from './request-checks.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity and every pair of a key and an
 * endpoint of its provider is exactly one attempt or exactly one exclusion; a key that has no endpoint for the model
 * is one exclusion. Neither depends on the order in which endpoints and keys are given.
 */
export function plan(input: PlanInput): Plan {
  return planCandidates(candidatesOf(input.model, input, input.preferences), input, input.maxAttempts);
}

/** The same over ways that are found already: what is left to decide is what the request asks for, and when. */
export function planCandidates(
  { eligible, ruledOut }: Candidates,
  demands: RequestDemands & Pick<EvaluationContext, 'providers'>,
  maxAttempts: number,
): Plan {
  const usable: Candidate[] = [];
  const excluded = [...ruledOut];
  const isAlone = onlyFirst(demands);
  for (const candidate of eligible) {
    const exclusion = judge(candidate, demands);
    if (exclusion === null) usable.push(candidate);
    else excluded.push(exclusion);
  }
  const attempts: Attempt[] = [];
  inOrder(usable, demands).forEach((attempt, position) => {
    if (position > 0 && isAlone) excluded.push(excludedAs(attempt, NOT_ALLOWED));
    else if (position >= maxAttempts) excluded.push(excludedAs(attempt, BEYOND_CAP));
    else attempts.push(attempt);
  });
  return {
    attempts,
    excluded: excluded.sort(compareExclusions),
    unknownProviders: unknownProviders(demands.preferences, demands.providers),
  };
}

/** The first reason that stands against an open way, in the order of evaluation of interface section 6. */
function judge(candidate: Candidate, demands: RequestDemands): Exclusion | null {
  const refused = refusedByRequest(candidate.attempt.endpoint, demands);
  if (refused !== undefined) return excludedAs(candidate.attempt, refused);
  if (candidate.unavailable !== null) return candidate.unavailable;
  const unpaid = exceedsFunds(candidate, demands);
  return unpaid === undefined ? null : excludedAs(candidate.attempt, unpaid);
}

/** Without an order, a request that allows no fallbacks has one attempt. */
function onlyFirst({ preferences }: RequestDemands): boolean {
  return !preferences.allowFallbacks && requestedOrder(preferences) === null;
}

const NOT_ALLOWED = found('fallbacks_not_allowed', 'Only the first attempt is allowed.');
const BEYOND_CAP = found('attempt_cap', 'The bound on attempts is reached before it.');

/** Each once, as they stand in order, only and ignore. */
function unknownProviders(
  { order, only, ignore }: ProviderPreferences,
  providers: EvaluationContext['providers'],
): string[] {
  if (order === null && only === null && ignore === null) return [];
  const named = new Set([...(order ?? []), ...(only ?? []), ...(ignore ?? [])]);
  return [...named].filter((name) => !providers.has(name));
}
