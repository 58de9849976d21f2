import { isListed } from '../base/name-pattern.js';
import type { ByokKey } from './types.js';

/** The filter that excludes a key from a request: an exclusion reason of `docs/routing.md#exclusion-reasons`. */
export type FilterReason = 'key_model_filter' | 'key_api_key_filter' | 'key_member_filter';

export interface FilteredCaller {
  readonly apiKeyHash: string;
  readonly userId: string;
}

type CallerFilters = Pick<ByokKey, 'allowedApiKeyHashes' | 'allowedUserIds'>;

/**
 * The first filter of the key that does not match the request; null when all match. `modelId` is a resolved id; the
 * entries of `allowed_models` are resolved before they are compared.
 */
export function filterReason(
  key: CallerFilters & Pick<ByokKey, 'allowedModels'>,
  modelId: string,
  caller: FilteredCaller,
  resolveModelId: (name: string) => string,
): FilterReason | null {
  if (!allowsModel(key, modelId, resolveModelId)) return 'key_model_filter';
  return callerFilterReason(key, caller);
}

/** Whether the model filter contains the model: by any of its names, or by a prefix of its id. */
export function allowsModel(
  { allowedModels }: Pick<ByokKey, 'allowedModels'>,
  modelId: string,
  resolveModelId: (name: string) => string,
): boolean {
  if (allowedModels === null || allowedModels.includes(modelId) || isListed(allowedModels, modelId))
    return true;
  return allowedModels.some((name) => resolveModelId(name) === modelId);
}

/** As `filterReason`, for the filters that do not depend on the model. */
export function callerFilterReason(key: CallerFilters, caller: FilteredCaller): FilterReason | null {
  if (key.allowedApiKeyHashes !== null && !key.allowedApiKeyHashes.includes(caller.apiKeyHash)) {
    return 'key_api_key_filter';
  }
  if (key.allowedUserIds !== null && !key.allowedUserIds.includes(caller.userId)) return 'key_member_filter';
  return null;
}
