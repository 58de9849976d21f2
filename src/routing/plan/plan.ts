/**
 * The plan of one model: which candidates are tried in which order, and for every other candidate the one reason why it
 * is not. See docs/routing.md.
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
import { compareExclusions, excludedAs, excludedFor } from './exclusion.js';
import { inOrder } from './order.js';
import { requestedOrder } from './preferences.js';
import { exceedsFunds, refusedByRequest } from './request-checks.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity and every pair of a key and an
 * endpoint of its provider is exactly one attempt or exactly one exclusion; a key that has no endpoint for the model
 * is one exclusion. Neither depends on the order in which endpoints and keys are given.
 */
export function plan(input: PlanInput): Plan {
  return planCandidates(candidatesOf(input.model, input, input.preferences), input, input.maxAttempts);
}

/** The same over given candidates: what is left to apply are the request's demands and the current health. */
export function planCandidates(
  { eligible, ruledOut }: Candidates,
  demands: RequestDemands & Pick<EvaluationContext, 'providers'>,
  maxAttempts: number,
): Plan {
  const usable: Candidate[] = [];
  const excluded = [...ruledOut];
  const isFirstOnly = onlyFirst(demands);
  for (const candidate of eligible) {
    const exclusion = judge(candidate, demands);
    if (exclusion === null) usable.push(candidate);
    else excluded.push(exclusion);
  }
  const attempts: Attempt[] = [];
  inOrder(usable, demands).forEach((attempt, position) => {
    if (position > 0 && isFirstOnly) excluded.push(excludedAs(attempt, NOT_ALLOWED));
    else if (position >= maxAttempts) excluded.push(excludedAs(attempt, BEYOND_CAP));
    else attempts.push(attempt);
  });
  return {
    attempts,
    excluded: excluded.sort(compareExclusions),
    unknownProviders: unknownProviders(demands.preferences, demands.providers),
  };
}

/** The first reason that excludes an eligible candidate, in the order of `EXCLUSION_REASONS`; null = none. */
function judge(candidate: Candidate, demands: RequestDemands): Exclusion | null {
  const refused = refusedByRequest(candidate.attempt.endpoint, demands);
  if (refused !== undefined) return excludedAs(candidate.attempt, refused);
  if (candidate.unavailable !== null) return candidate.unavailable;
  const unpaid = exceedsFunds(candidate, demands);
  return unpaid === undefined ? null : excludedAs(candidate.attempt, unpaid);
}

/** Without a requested order, a request that allows no fallbacks has one attempt. */
function onlyFirst({ preferences }: RequestDemands): boolean {
  return !preferences.allowFallbacks && requestedOrder(preferences) === null;
}

const NOT_ALLOWED = excludedFor('fallbacks_not_allowed', 'Only the first attempt is allowed.');
const BEYOND_CAP = excludedFor('attempt_cap', 'The maximum of attempts is reached before it.');

/** Names in order, only and ignore that name no provider, each once. */
function unknownProviders(
  { order, only, ignore }: ProviderPreferences,
  providers: EvaluationContext['providers'],
): string[] {
  if (order === null && only === null && ignore === null) return [];
  const named = new Set([...(order ?? []), ...(only ?? []), ...(ignore ?? [])]);
  return [...named].filter((name) => !providers.has(name));
}
