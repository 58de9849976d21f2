import { isUsableIn } from '../../byok/further-workspaces.js';
import type { Endpoint, Model } from '../../catalog/types.js';
import type { Exclusion, RoutableKey, RoutableKeys } from '../types.js';
import { unavailableKey } from './checks.js';
import { exclusionOf } from './exclusion.js';
import { FULL_COVERAGE, type ModelContext } from './model-context.js';

/** A caller that no filter of a key contains: no hash of a key and no member is empty. */
const STRANGER = { apiKeyHash: '', userId: '' };

/** Of the model that was asked for last, by endpoint. */
interface Strangers {
  readonly model: Model;
  readonly resolveModelId: ModelContext['resolveModelId'];
  readonly workspaceId: string;
  readonly byEndpoint: Map<Endpoint, readonly Exclusion[] | null>;
}

const KNOWN = new WeakMap<RoutableKeys, Strangers>();

/**
 * The exclusions of the endpoint with the keys of its provider for a caller that none of them names, by key: those of nearly
 * all keys for any caller, unless the endpoint itself is ruled out. Kept for the model that was asked for last. null where
 * credentials cover different regions or models.
 */
export function strangersOf(endpoint: Endpoint, modelContext: ModelContext): readonly Exclusion[] | null {
  const { keys, model, resolveModelId, caller } = modelContext;
  let known = KNOWN.get(keys);
  if (
    known?.model !== model ||
    known.resolveModelId !== resolveModelId ||
    known.workspaceId !== caller.workspaceId
  ) {
    known = { model, resolveModelId, workspaceId: caller.workspaceId, byEndpoint: new Map() };
    KNOWN.set(keys, known);
  }
  const found = known.byEndpoint.get(endpoint);
  if (found !== undefined) return found;
  const made = exclusionsOf(endpoint, modelContext);
  known.byEndpoint.set(endpoint, made);
  return made;
}

function exclusionsOf(endpoint: Endpoint, modelContext: ModelContext): readonly Exclusion[] | null {
  const { caller, keys } = modelContext;
  const context = { ...modelContext, caller: { ...caller, ...STRANGER } };
  const exclusions: Exclusion[] = [];
  for (const key of keys.ofProvider(endpoint.provider)) {
    if (!isUsual(key)) return null;
    if (isForAnybody(key) || !isUsableIn(key.key, caller.workspaceId)) continue;
    const reasoned = unavailableKey({ providerSlug: endpoint.provider, key }, context);
    if (reasoned !== undefined)
      exclusions.push(exclusionOf(endpoint.provider, endpoint.id, key.key, reasoned));
  }
  return exclusions;
}

/** Whether the credential restricts neither regions nor models. */
function isUsual({ regionsFor, servesModel }: RoutableKey): boolean {
  return regionsFor === FULL_COVERAGE.regionsFor && servesModel === FULL_COVERAGE.servesModel;
}

function isForAnybody({ key }: RoutableKey): boolean {
  return !key.disabled && key.allowedApiKeyHashes === null && key.allowedUserIds === null;
}
