/**
 * The plan of one model: the order in which its candidates are tried, and for every other candidate the one reason why
 * it is not. And the fallback chain: the plans of several models, one after the other. See docs/routing.md.
 */

import { runToEnd } from '../../base/time-slices.js';
import type { Model, Provider } from '../../catalog/types.js';
import type {
  Attempt,
  EvaluationContext,
  Exclusion,
  PlanInput,
  ProviderPreferences,
  RequestDemands,
  RoutingPlan,
  WholePlan,
} from '../types.js';
import type { Candidate } from './candidate.js';
import { type Candidates, candidatesOf } from './candidates.js';
import { exceedsFunds } from './checks.js';
import { refusedByDemands } from './cost-check.js';
import { compareExclusions, excludedAs, excludedFor } from './exclusion.js';
import { unpricedMode } from './mode-check.js';
import { inOrder } from './order.js';
import { requestedOrder } from './preferences.js';
import { namedByKeyFilter } from './reach-checks.js';
import { type PlannedInput, unreachableOf } from './unreachable.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity, and every pair of a key and an
 * endpoint of its provider, is exactly one attempt or exactly one exclusion. A key that is not for the model is one
 * exclusion if its provider has the model. Keys of other providers are neither. The order in which endpoints and keys
 * are given does not matter.
 */
export function plan(input: PlanInput): WholePlan {
  const { model, preferences, maxAttempts } = input;
  const { plan: planned } = planCandidates(candidatesOf(model, input, preferences), input, maxAttempts);
  return runToEnd(whole(planned, model, input));
}

/** Plans with known candidates: applies the request's demands and the current health to them. */
function planCandidates(
  { eligible, ruledOut }: Candidates,
  input: PlannedInput,
  maxAttempts: number,
): { readonly plan: RoutingPlan; readonly unusable: readonly Exclusion[] } {
  const usable: Candidate[] = [];
  const excluded = [...ruledOut];
  const isFirstOnly = onlyFirst(input);
  for (const candidate of eligible) {
    const exclusion = judge(candidate, input);
    if (exclusion === null) usable.push(candidate);
    else excluded.push(exclusion);
  }
  const attempts: Attempt[] = [];
  inOrder(usable, input).forEach((attempt, position) => {
    if (position > 0 && isFirstOnly) excluded.push(excludedAs(attempt, NOT_ALLOWED));
    else if (position >= maxAttempts) excluded.push(excludedAs(attempt, BEYOND_CAP));
    else attempts.push(attempt);
  });
  excluded.sort(compareExclusions);
  return {
    plan: {
      attempts,
      excludedForCaller: excluded,
      unknownProviders: unknownProviders(input.preferences, input.providers),
    },
    // Filters are checked before, so none of the unreachable ones is among them.
    unusable: excluded.filter(({ reason }) => reason === 'key_unusable'),
  };
}

function* whole(planned: RoutingPlan, model: Model, input: PlannedInput): Generator<void, WholePlan> {
  const unreachable = yield* unreachableOf(model, input);
  // Of lists that are in order sorting makes one without comparing all.
  return {
    ...planned,
    excluded: [...planned.excludedForCaller, ...unreachable].sort(compareExclusions),
  };
}

interface ModelPlan<P extends RoutingPlan> {
  readonly modelId: string;
  readonly plan: P;
}

/** A key that would have been tried if its stored credential could be used. */
export interface UnusableKey {
  readonly provider: Provider;
  readonly endpointId: string;
  readonly byokKeyId: string;
}

/** The plans of several models, tried one after the other. */
export interface FallbackChain<P extends RoutingPlan = RoutingPlan> {
  /** Each once. */
  readonly models: readonly Model[];
  readonly context: PlannedInput;
  /** The whole plan of the first model, then of the second, ..., at most `maxAttempts` in all. */
  readonly attempts: readonly Attempt[];
  readonly plans: readonly ModelPlan<P>[];
  /** Each key once per endpoint. */
  readonly unusableKeys: readonly UnusableKey[];
  readonly unknownProviders: readonly string[];
  /** The region that the request came in through, if a guardrail refuses it; else null. */
  readonly refusedRegion: string | null;
}

/** With the exclusions of all keys. */
export type WholeChain = FallbackChain<WholePlan>;

/** With the exclusions of the keys that do not admit the caller. There may be thousands: to be run in slices. */
export function* wholeChain(chain: FallbackChain): Generator<void, WholeChain> {
  const plans: ModelPlan<WholePlan>[] = [];
  for (const [index, { modelId, plan: planned }] of chain.plans.entries()) {
    const model = chain.models[index];
    if (model !== undefined) plans.push({ modelId, plan: yield* whole(planned, model, chain.context) });
  }
  return { ...chain, plans };
}

/**
 * Plans each model in turn, duplicates once. `maxAttempts` limits all attempts together. Cooling candidates come last
 * within their model, but before the next model. `find` is `candidatesOf`, or a cache of it.
 */
export function planFallbackChain(
  models: readonly Model[],
  input: PlannedInput,
  find: typeof candidatesOf = candidatesOf,
): FallbackChain {
  const plans: ModelPlan<RoutingPlan>[] = [];
  const attempts: Attempt[] = [];
  const unusable: Exclusion[] = [];
  const distinct = [...new Set(models)];
  for (const model of distinct) {
    const candidates = find(model, input, input.preferences);
    const planned = planCandidates(candidates, input, input.maxAttempts - attempts.length);
    plans.push({ modelId: model.id, plan: planned.plan });
    attempts.push(...planned.plan.attempts);
    unusable.push(...planned.unusable);
  }
  const { region, isRegionAdmitted } = input.policy;
  return {
    models: distinct,
    context: input,
    attempts,
    plans,
    unusableKeys: unusableKeysOf(unusable, input.providers),
    unknownProviders: plans[0]?.plan.unknownProviders ?? [],
    refusedRegion: isRegionAdmitted ? null : region,
  };
}

/** A request that allows no fallbacks and gives no order has only one attempt. */
function onlyFirst({ preferences }: RequestDemands): boolean {
  return !preferences.allowFallbacks && requestedOrder(preferences) === null;
}

/** The first reason that excludes an eligible candidate, in the order of `EXCLUSION_REASONS`; null = none. */
function judge(candidate: Candidate, demands: PlannedInput): Exclusion | null {
  const refused = refusedByDemands(candidate.attempt, demands);
  if (refused !== undefined) return excludedAs(candidate.attempt, refused);
  const filtered = namedByKeyFilter(candidate.attempt, demands);
  const { unavailable } = candidate;
  if (filtered !== undefined && unavailable?.reason !== 'key_disabled') {
    return excludedAs(candidate.attempt, filtered);
  }
  if (unavailable !== null) return unavailable;
  const unpriced = unpricedMode(candidate.attempt, demands);
  if (unpriced !== undefined) return excludedAs(candidate.attempt, unpriced);
  const unpaid = exceedsFunds(candidate, demands);
  return unpaid === undefined ? null : excludedAs(candidate.attempt, unpaid);
}

const NOT_ALLOWED = excludedFor('fallbacks_not_allowed', 'Only the first attempt is allowed.');
const BEYOND_CAP = excludedFor('attempt_cap', 'The maximum of attempts is reached before it.');

/** Names in `order`, `only` and `ignore` that are not a provider's, each once. */
function unknownProviders(
  { order, only, ignore }: ProviderPreferences,
  providers: EvaluationContext['providers'],
): string[] {
  if (order === null && only === null && ignore === null) return [];
  const named = new Set([...(order ?? []), ...(only ?? []), ...(ignore ?? [])]);
  return [...named].filter((name) => !providers.has(name));
}

function unusableKeysOf(excluded: readonly Exclusion[], providers: PlanInput['providers']): UnusableKey[] {
  return excluded.flatMap(({ provider: slug, endpointId, byokKeyId }) => {
    const provider = providers.get(slug);
    if (provider === undefined || endpointId === null || byokKeyId === null) return [];
    return [{ provider, endpointId, byokKeyId }];
  });
}
