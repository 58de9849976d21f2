/** What a model's ways are judged by, with what follows from the keys worked out. */
import { callerFilterReason, filterReason } from '../../byok/filters.js';
import type { ByokKey } from '../../byok/types.js';
import type { Model } from '../../catalog/types.js';
import type { EvaluationContext, ProviderPreferences } from '../types.js';

/** What a request demands of data policies; null and false demand nothing. */
export type DataDemands = Pick<ProviderPreferences, 'zdr' | 'dataCollection'>;

/** A standpoint before a model, with the demands of the request (spec 4.5.7) in its policy and those of the keys told. */
export interface ModelContext extends EvaluationContext {
  readonly model: Model;
  /** Providers whose shared endpoints an always-use key removes (spec 4.5.3). */
  readonly alwaysUseProviders: ReadonlySet<string>;
  /** Providers whose shared endpoints a BYOK-only key removes (interface section 6). */
  readonly byokOnlyProviders: ReadonlySet<string>;
}

/** Derives the situation. Only keys of the caller's own workspace count. */
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
 * Whether the key is meant for this request: enabled, and all of its filters match (spec 4.5.6). Whether it can be
 * used in the end (its credential opens, its region or data policy satisfies) doesn't matter: whoever says "always
 * use" gets a failure then, not a charge for shared capacity.
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
