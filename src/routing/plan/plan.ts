import type { Candidate } from './candidate.js';
/**
 * The plan of one model: the order in which its candidates are tried, and for every other candidate the one reason why
 * it is not. And the fallback chain: the plans of several models, one after the other. See docs/routing.md.
 */

import type { Model, Provider } from '../../catalog/types.js';
import type {
  Attempt,
  EvaluationContext,
  Exclusion,
  PlanInput,
  ProviderPreferences,
  RequestDemands,
  RoutingPlan,
} from '../types.js';
import { type Candidates, candidatesOf } from './candidates.js';
import { exceedsFunds } from './checks.js';
import { refusedByDemands } from './cost-check.js';
import { compareExclusions, excludedAs, excludedFor } from './exclusion.js';
import { inOrder } from './order.js';
import { requestedOrder } from './preferences.js';
import { namedByKeyFilter } from './reach-checks.js';
import { unreachableOf } from './unreachable.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity, and every pair of a key and an
 * endpoint of its provider, is exactly one attempt or exactly one exclusion. A key that is not for the model is one
 * exclusion if its provider has the model. Keys of other providers are neither. The order in which endpoints and keys
 * are given does not matter.
 */
export function plan(input: PlanInput): RoutingPlan {
  const { model, preferences, maxAttempts } = input;
  return planCandidates(model, candidatesOf(model, input, preferences), input, maxAttempts).plan;
}

/** Plans with known candidates: applies the request's demands and the current health to them. */
function planCandidates(
  model: Model,
  { eligible, ruledOut }: Candidates,
  input: Omit<PlanInput, 'model'>,
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
    plan: new JudgedPlan(model, input, attempts, excluded),
    // Filters are checked before, so no unreachable key is among them.
    unusable: excluded.filter(({ reason }) => reason === 'key_unusable'),
  };
}

/** A class: objects with getters of their own would each have a hidden class, and every request makes one of these. */
class JudgedPlan implements RoutingPlan {
  readonly attempts: readonly Attempt[];
  readonly unknownProviders: readonly string[];
  readonly #model: Model;
  readonly #input: Omit<PlanInput, 'model'>;
  /** In order. */
  readonly excludedForCaller: readonly Exclusion[];
  #excluded: readonly Exclusion[] | null = null;

  constructor(
    model: Model,
    input: Omit<PlanInput, 'model'>,
    attempts: readonly Attempt[],
    excludedForCaller: readonly Exclusion[],
  ) {
    this.attempts = attempts;
    this.unknownProviders = unknownProviders(input.preferences, input.providers);
    this.#model = model;
    this.#input = input;
    this.excludedForCaller = excludedForCaller;
  }

  get excluded(): readonly Exclusion[] {
    const input = this.#input;
    this.#excluded ??= merged(
      this.excludedForCaller,
      unreachableOf(this.#model, input, input.preferences, (endpoint, provider) =>
        refusedByDemands({ endpoint, provider, modelReasoning: this.#model.reasoning }, input),
      ),
    );
    return this.#excluded;
  }
}

/** Merges two ordered lists into one. */
function merged(few: readonly Exclusion[], many: readonly Exclusion[]): readonly Exclusion[] {
  let all: readonly Exclusion[] = [];
  let taken = 0;
  for (const one of few) {
    const next = positionAmong(many, one);
    all = all.concat(many.slice(taken, next), one);
    taken = next;
  }
  return all.concat(many.slice(taken));
}

/** The position before the first of `sorted` that does not come before the exclusion. */
function positionAmong(sorted: readonly Exclusion[], exclusion: Exclusion): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = sorted[middle];
    if (one !== undefined && compareExclusions(one, exclusion) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface ModelPlan {
  readonly modelId: string;
  readonly plan: RoutingPlan;
}

/** A key that would have been tried if its stored credential could be used. */
export interface UnusableKey {
  readonly provider: Provider;
  readonly endpointId: string;
  readonly byokKeyId: string;
}

/** The plans of several models, tried one after the other. */
export interface FallbackChain {
  /** Each model once. */
  readonly models: readonly Model[];
  readonly context: Pick<PlanInput, 'providers' | 'keys' | 'caller' | 'policy' | 'preferences'>;
  /** All attempts of the first model, then of the second, and so on; at most `maxAttempts` in all. */
  readonly attempts: readonly Attempt[];
  readonly plans: readonly ModelPlan[];
  /** Each key once per endpoint. */
  readonly unusableKeys: readonly UnusableKey[];
  readonly unknownProviders: readonly string[];
  /** The region that the request came in through, if a guardrail refuses it; else null. */
  readonly refusedRegion: string | null;
}

/**
 * Plans each model in turn, duplicates once. `maxAttempts` limits all attempts together. Cooling candidates come last
 * within their model, but before the next model. `find` is `candidatesOf`, or a cache of it.
 */
export function planFallbackChain(
  models: readonly Model[],
  input: Omit<PlanInput, 'model'>,
  find: typeof candidatesOf = candidatesOf,
): FallbackChain {
  const plans: ModelPlan[] = [];
  const attempts: Attempt[] = [];
  const unusable: Exclusion[] = [];
  const distinct = [...new Set(models)];
  for (const model of distinct) {
    const candidates = find(model, input, input.preferences);
    const planned = planCandidates(model, candidates, input, input.maxAttempts - attempts.length);
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
function judge(candidate: Candidate, demands: Omit<PlanInput, 'model'>): Exclusion | null {
  const refused = refusedByDemands(candidate.attempt, demands);
  if (refused !== undefined) return excludedAs(candidate.attempt, refused);
  const filtered = namedByKeyFilter(candidate.attempt, demands);
  const { unavailable } = candidate;
  if (filtered !== undefined && unavailable?.reason !== 'key_disabled') {
    return excludedAs(candidate.attempt, filtered);
  }
  if (unavailable !== null) return unavailable;
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
