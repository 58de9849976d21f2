/** Falling back across models: `models: [...]` of a request. */
import type { Model, Provider } from '../../catalog/types.js';
import type { Attempt, Plan, PlanInput } from '../types.js';
import { candidatesOf } from './candidates.js';
import { planCandidates } from './plan.js';

interface ModelPlan {
  readonly modelId: string;
  readonly plan: Plan;
}

/** A key that would have been tried if its stored credential could be used. */
export interface UnusableKey {
  readonly provider: Provider;
  readonly endpointId: string;
  readonly byokKeyId: string;
}

/** The plans of several models, tried one after the other. */
export interface FallbackChain {
  /** The whole plan of the first model, then of the second, ..., at most `maxAttempts` in all. */
  readonly attempts: readonly Attempt[];
  readonly plans: readonly ModelPlan[];
  /** Each key once per endpoint. */
  readonly unusableKeys: readonly UnusableKey[];
  readonly unknownProviders: readonly string[];
  /** The region that the request came in through where a guardrail refuses it; else null. */
  readonly refusedRegion: string | null;
}

/**
 * Plans each model in turn, duplicates once. `maxAttempts` bounds all attempts together. Cooling candidates come last
 * within their model, but before the next model. `find` is `candidatesOf` or a cache of it.
 */
export function planFallbackChain(
  models: readonly Model[],
  input: Omit<PlanInput, 'model'>,
  find: typeof candidatesOf = candidatesOf,
): FallbackChain {
  const plans: ModelPlan[] = [];
  const attempts: Attempt[] = [];
  for (const model of new Set(models)) {
    const candidates = find(model, input, input.preferences);
    const modelPlan = planCandidates(candidates, input, input.maxAttempts - attempts.length);
    plans.push({ modelId: model.id, plan: modelPlan });
    attempts.push(...modelPlan.attempts);
  }
  const { region, isRegionAdmitted } = input.policy;
  return {
    attempts,
    plans,
    unusableKeys: unusableKeysOf(plans, input.providers),
    unknownProviders: plans[0]?.plan.unknownProviders ?? [],
    refusedRegion: isRegionAdmitted ? null : region,
  };
}

function unusableKeysOf(plans: readonly ModelPlan[], providers: PlanInput['providers']): UnusableKey[] {
  const unusable: UnusableKey[] = [];
  for (const { plan } of plans) {
    for (const { reason, provider: slug, endpointId, byokKeyId } of plan.excluded) {
      if (reason !== 'key_unusable') continue;
      const provider = providers.get(slug);
      if (provider === undefined || endpointId === null || byokKeyId === null) continue;
      unusable.push({ provider, endpointId, byokKeyId });
    }
  }
  return unusable;
}
