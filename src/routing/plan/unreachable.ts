import { compareText } from '../../base/compare-text.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import type { Exclusion, RoutableKey } from '../types.js';
import { findHidden, judgeKeyWithoutEndpoint, unavailableKey } from './checks.js';
import { exclusionOf, type ReasonedExclusion } from './exclusion.js';
import { FULL_COVERAGE, type ModelContext, pairOf } from './model-context.js';

/** Why the request's own demands refuse an endpoint; undefined = they don't. */
export type RefusalOf = (endpoint: Endpoint, provider: Provider) => ReasonedExclusion | undefined;

/**
 * The exclusions of all keys but the admitted ones, by provider, endpoint and key. Takes as long as there are keys, which
 * may be thousands: what they have in common is judged once, and no credential is opened unless it names regions or
 * models.
 */
export function unreachableOf(
  modelContext: ModelContext,
  admitted: readonly RoutableKey[],
  refusalOf: RefusalOf,
): Exclusion[] {
  const { keys, caller, model, providers } = modelContext;
  const isAdmitted = new Set(admitted);
  const found: Exclusion[] = [];
  for (const slug of keys.providers.toSorted(compareText)) {
    const others = keys
      .ofProvider(slug)
      .filter((one) => !isAdmitted.has(one) && one.key.workspaceId === caller.workspaceId);
    const provider = providers.get(slug);
    const endpoints = provider === undefined ? [] : model.endpoints.filter((one) => one.provider === slug);
    for (const key of others) {
      if (endpoints.length > 0 && servesModel(key, modelContext)) continue;
      const reasoned = judgeKeyWithoutEndpoint({ providerSlug: slug, key }, modelContext);
      found.push(exclusionOf(slug, null, key.key, reasoned));
    }
    if (provider === undefined) continue;
    for (const endpoint of endpoints.toSorted((a, b) => compareText(a.id, b.id))) {
      const judge = judgeOf(endpoint, provider, modelContext, refusalOf(endpoint, provider));
      for (const key of others) {
        const reasoned = servesModel(key, modelContext) ? judge(key) : undefined;
        if (reasoned !== undefined) found.push(exclusionOf(slug, endpoint.id, key.key, reasoned));
      }
    }
  }
  return found;
}

function servesModel({ servesModel }: RoutableKey, { model }: ModelContext): boolean {
  return servesModel === FULL_COVERAGE.servesModel || servesModel(model.id);
}

/** Judges keys with the endpoint; what most keys have in common is judged once. */
function judgeOf(
  endpoint: Endpoint,
  provider: Provider,
  modelContext: ModelContext,
  refused: ReasonedExclusion | undefined,
): (key: RoutableKey) => ReasonedExclusion | undefined {
  const hiddenOf = (key: RoutableKey) =>
    findHidden(pairOf(endpoint, provider, key, modelContext), modelContext);
  let usual: { readonly hidden: ReasonedExclusion | undefined } | undefined;
  const usuallyHidden = (key: RoutableKey) => {
    usual ??= { hidden: hiddenOf(key) };
    return usual.hidden;
  };
  return (key) => {
    const isUsual = key.regionsFor === FULL_COVERAGE.regionsFor;
    const hidden = isUsual ? usuallyHidden(key) : hiddenOf(key);
    return hidden ?? refused ?? unavailableKey({ providerSlug: provider.slug, key }, modelContext);
  };
}
