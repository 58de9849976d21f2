import { compareText } from '../../base/text.js';
import { isUsableIn } from '../../byok/further-workspaces.js';
import type { Model, Provider } from '../../catalog/types.js';
import type { Exclusion, PlanInput } from '../types.js';
import { findHidden, judgeKeyWithoutEndpoint, unavailableKey } from './checks.js';
import { refusedByDemands } from './cost-check.js';
import { exclusionOf } from './exclusion.js';
import { keysForCaller, type ModelContext, modelContextOf, pairOf } from './model-context.js';

/** A model and what is asked of it, as its plan was computed from. */
export type PlannedInput = Omit<PlanInput, 'model'>;

/**
 * The exclusions of all keys that do not admit the caller, by provider, endpoint and key. There may be thousands, so that only
 * who asks why something is excluded looks for them. May be interrupted before each key.
 */
export function* unreachableOf(model: Model, input: PlannedInput): Generator<void, readonly Exclusion[]> {
  const admitted = keysForCaller(input);
  const modelContext = modelContextOf(model, input, admitted, input.preferences);
  const isAdmitted = new Set(admitted);
  const found: Exclusion[] = [];
  for (const slug of input.keys.providers.toSorted(compareText)) {
    const provider = input.providers.get(slug);
    if (provider === undefined || !model.endpoints.some((endpoint) => endpoint.provider === slug)) continue;
    const keys = input.keys
      .ofProvider(slug)
      .filter((one) => !isAdmitted.has(one) && isUsableIn(one.key, input.caller.workspaceId));
    yield* judgeKeys(keys, provider, modelContext, input, found);
  }
  return found;
}

/** Adds the exclusions of these keys of the provider. */
function* judgeKeys(
  keys: ReturnType<PlanInput['keys']['ofProvider']>,
  provider: Provider,
  modelContext: ModelContext,
  input: PlannedInput,
  found: Exclusion[],
): Generator<void, void> {
  const { slug: providerSlug } = provider;
  const { model } = modelContext;
  for (const key of keys) {
    yield;
    if (key.servesModel(model.id)) continue;
    const reasoned = judgeKeyWithoutEndpoint({ providerSlug, key }, modelContext);
    found.push(exclusionOf(providerSlug, null, key.key, reasoned));
  }
  const endpoints = model.endpoints.filter((one) => one.provider === providerSlug);
  for (const endpoint of endpoints.sort((a, b) => compareText(a.id, b.id))) {
    const refused = refusedByDemands({ endpoint, provider, modelReasoning: model.reasoning }, input);
    for (const key of keys) {
      yield;
      if (!key.servesModel(model.id)) continue;
      const hidden = findHidden(pairOf(endpoint, provider, key, modelContext), modelContext);
      const reasoned = hidden ?? refused ?? unavailableKey({ providerSlug, key }, modelContext);
      if (reasoned !== undefined) found.push(exclusionOf(providerSlug, endpoint.id, key.key, reasoned));
    }
  }
}
