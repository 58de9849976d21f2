/** The request as the checks see it: the plan's input with what follows from it alone. */
import type { ByokKey } from '../byok/types.js';
import type { PlanInput } from './types.js';

export interface Situation extends PlanInput {
  /** Zero data retention is demanded by anyone who may demand it (spec 4.5.7). */
  readonly demandsZdr: boolean;
  /** No collection of data is demanded by anyone who may demand it. */
  readonly deniesCollection: boolean;
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
    ...input,
    demandsZdr: policy.zdr || preferences.zdr,
    deniesCollection: policy.denyDataCollection || preferences.dataCollection === 'deny',
    requestedOrder: order.length === 0 ? null : order,
    alwaysUseProviders: providersOf(keys.filter((key) => key.isRequired && matches(key, input))),
    byokOnlyProviders: providersOf(
      keys.filter((key) => key.isByokOnly && !key.disabled && admits(key, input)),
    ),
  };
}

/**
 * Whether the key is meant for this request: enabled, and all of its filters match (spec 4.5.6). Whether it can be
 * used in the end (its credential opens, its region or data policy satisfies) doesn't matter: whoever says "always
 * use" gets a failure then, not a charge for shared capacity.
 */
function matches(key: ByokKey, input: PlanInput): boolean {
  return !key.disabled && admitsModel(key, input) && admits(key, input);
}

/** Whether the key's model filter matches; its entries may be ids, slugs or aliases. */
export function admitsModel({ allowedModels }: ByokKey, { model, resolveModelId }: PlanInput): boolean {
  return allowedModels === null || allowedModels.some((name) => resolveModelId(name) === model.id);
}

/** Whether the key's API-key filter matches. */
export function admitsApiKey({ allowedApiKeyHashes }: ByokKey, { caller }: PlanInput): boolean {
  return allowedApiKeyHashes === null || allowedApiKeyHashes.includes(caller.apiKeyHash);
}

/** Whether the key's member filter matches. */
export function admitsMember({ allowedUserIds }: ByokKey, { caller }: PlanInput): boolean {
  return allowedUserIds === null || allowedUserIds.includes(caller.userId);
}

function admits(key: ByokKey, input: PlanInput): boolean {
  return admitsApiKey(key, input) && admitsMember(key, input);
}

function providersOf(keys: readonly ByokKey[]): ReadonlySet<string> {
  return new Set(keys.map((key) => key.provider));
}
