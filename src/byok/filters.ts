import type { ByokKey } from './types.js';

/** Which filter of a key keeps it from a request; also the reason that explain shows (interface section 6). */
export type FilterReason = 'key_model_filter' | 'key_api_key_filter' | 'key_member_filter';

/** Who asks. */
export interface FilteredCaller {
  readonly apiKeyHash: string;
  readonly userId: string;
}

type CallerFilters = Pick<ByokKey, 'allowedApiKeyHashes' | 'allowedUserIds'>;

/**
 * The first filter of the key that does not match the request; null when all active ones do (spec 4.5.6).
 * `modelId` is a resolved id, and the entries of `allowed_models` are resolved before they are compared.
 */
export function filterReason(
  key: CallerFilters & Pick<ByokKey, 'allowedModels'>,
  modelId: string,
  caller: FilteredCaller,
  resolveModelId: (name: string) => string,
): FilterReason | null {
  const { allowedModels } = key;
  if (
    allowedModels !== null &&
    !allowedModels.some((name) => name === modelId || resolveModelId(name) === modelId)
  ) {
    return 'key_model_filter';
  }
  return callerFilterReason(key, caller);
}

/** As `filterReason`, of the filters that do not depend on the model. */
export function callerFilterReason(key: CallerFilters, caller: FilteredCaller): FilterReason | null {
  if (key.allowedApiKeyHashes !== null && !key.allowedApiKeyHashes.includes(caller.apiKeyHash)) {
    return 'key_api_key_filter';
  }
  if (key.allowedUserIds !== null && !key.allowedUserIds.includes(caller.userId)) return 'key_member_filter';
  return null;
}
