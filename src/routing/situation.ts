/** The request as the checks see it: the plan's input with what follows from it alone. */
import { callerFilterReason, filterReason } from '../byok/filters.js';
import type { ByokKey } from '../byok/types.js';
import type { Visibility } from '../catalog/visibility.js';
import type { PlanInput } from './types.js';

/** A plan's input with the demands of request and keys already worked out. */
export interface Situation extends PlanInput {
  /** With what the request itself demands of data policies (spec 4.5.7). */
  readonly policy: Visibility;
  /** The requested order; null when none is given. */
  readonly requestedOrder: readonly string[] | null;
  /** Providers whose shared endpoints an always-use key removes (spec 4.5.3). */
  readonly alwaysUseProviders: ReadonlySet<string>;
  /** Providers whose shared endpoints a BYOK-only key removes (interface section 6). */
  readonly byokOnlyProviders: ReadonlySet<string>;
}

/** Derives the situation of a request. Only keys of the caller's own workspace count. */
export function situationOf(input: PlanInput): Situation {
  const { preferences, policy } = input;
  const keys = input.keys.map(({ key }) => key).filter((key) => key.workspaceId === input.caller.workspaceId);
  const order = preferences.order ?? [];
  return {
    requestedOrder: order.length === 0 ? null : order,
    alwaysUseProviders: providersOf(keys.filter((key) => key.isRequired && matches(key, input))),
    byokOnlyProviders: providersOf(keys.filter((key) => key.isByokOnly && admits(key, input))),
    ...input,
    policy: {
      ...policy,
      zdr: policy.zdr || preferences.zdr,
      denyDataCollection: policy.denyDataCollection || preferences.dataCollection === 'deny',
    },
  };
}

/**
 * Whether the key is meant for this request: enabled, and all of its filters match (spec 4.5.6). Whether it can be
 * used in the end (its credential opens, its region or data policy satisfies) doesn't matter: whoever says "always
 * use" gets a failure then, not a charge for shared capacity.
 */
function matches(key: ByokKey, { model, caller, resolveModelId }: PlanInput): boolean {
  return !key.disabled && filterReason(key, model.id, caller, resolveModelId) === null;
}

/** Whether the key is enabled and admits the caller, whatever the model. */
function admits(key: ByokKey, { caller }: PlanInput): boolean {
  return !key.disabled && callerFilterReason(key, caller) === null;
}

function providersOf(keys: readonly ByokKey[]): ReadonlySet<string> {
  return new Set(keys.map((key) => key.provider));
}
