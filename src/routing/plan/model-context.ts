/** What a model's candidates are judged by, including what the caller's BYOK keys remove. */
import { callerFilterReason, filterReason } from '../../byok/filters.js';
import type { ByokKey } from '../../byok/types.js';
import type { Model } from '../../catalog/types.js';
import type { EvaluationContext, ProviderPreferences } from '../types.js';

/** The data policies that a request demands; null and false demand nothing. */
export type DataDemands = Pick<ProviderPreferences, 'zdr' | 'dataCollection'>;

/** An evaluation context for one model, its policy tightened by the request's demands on data policies. */
export interface ModelContext extends EvaluationContext {
  readonly model: Model;
  /** Providers whose shared endpoints an always-use key (`is_required`) removes. */
  readonly alwaysUseProviders: ReadonlySet<string>;
  /** Providers whose shared endpoints a BYOK-only key (`is_byok_only`) removes. */
  readonly byokOnlyProviders: ReadonlySet<string>;
}

/** Only keys of the caller's own workspace count. */
export function modelContextOf(model: Model, context: EvaluationContext, demands: DataDemands): ModelContext {
  const { caller, policy } = context;
  const keys = context.keys.map(({ key }) => key).filter((key) => key.workspaceId === caller.workspaceId);
  const required = keys.filter((key) => key.isRequired && matches(key, model, context));
  return {
    ...context,
    model,
    alwaysUseProviders: providersOf(required),
    byokOnlyProviders: providersOf(keys.filter((key) => key.isByokOnly && admits(key, context))),
    policy: {
      ...policy,
      zdr: policy.zdr || demands.zdr,
      denyDataCollection: policy.denyDataCollection || demands.dataCollection === 'deny',
    },
  };
}

/**
 * Whether the key is meant for this request: enabled, and all of its filters match. Whether it can be used in the end
 * (its credential opens, its region or data policy satisfies) doesn't matter: who says "always use" gets a failure
 * then, not a charge for shared capacity. See docs/routing.md#byok-keys.
 */
function matches(key: ByokKey, model: Model, { caller, resolveModelId }: EvaluationContext): boolean {
  return !key.disabled && filterReason(key, model.id, caller, resolveModelId) === null;
}

/** Whether the key is enabled and admits the caller, whatever the model. */
function admits(key: ByokKey, { caller }: EvaluationContext): boolean {
  return !key.disabled && callerFilterReason(key, caller) === null;
}

function providersOf(keys: readonly ByokKey[]): ReadonlySet<string> {
  return new Set(keys.map((key) => key.provider));
}
