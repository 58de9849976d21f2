import { compareText } from '../../base/text.js';
import { isUsableIn } from '../../byok/further-workspaces.js';
import type { Endpoint, Model, Provider } from '../../catalog/types.js';
import type { EvaluationContext, Exclusion, RoutableKey } from '../types.js';
import { findHidden, judgeKeyWithoutEndpoint, unavailableKey } from './checks.js';
import { exclusionOf, type ReasonedExclusion } from './exclusion.js';
import {
  type DataDemands,
  keysForCaller,
  type ModelContext,
  modelContextOf,
  pairOf,
} from './model-context.js';
import { strangersOf } from './strangers.js';

/** Why the request's own demands refuse an endpoint; undefined = they don't. */
export type RefusalOf = (endpoint: Endpoint, provider: Provider) => ReasonedExclusion | undefined;

/**
 * The exclusions of all keys that do not admit the caller, by provider, endpoint and key. There may be thousands, so that only
 * who asks why something is excluded looks for them: what they have in common is judged once, and no credential is opened
 * unless it names regions or models.
 */
export function unreachableOf(
  model: Model,
  context: EvaluationContext,
  demands: DataDemands,
  refusalOf: RefusalOf,
): readonly Exclusion[] {
  const admitted = keysForCaller(context);
  const modelContext = modelContextOf(model, context, admitted, demands);
  const { keys, providers } = context;
  let found: readonly Exclusion[] = [];
  for (const slug of keys.providers.toSorted(compareText)) {
    const provider = providers.get(slug);
    const endpoints = provider === undefined ? [] : model.endpoints.filter((one) => one.provider === slug);
    const others = () => otherKeys(slug, modelContext, admitted);
    if (provider === undefined || endpoints.length === 0) continue;
    found = found.concat(withoutEndpoint(slug, endpoints, others, modelContext));
    for (const endpoint of endpoints.toSorted((a, b) => compareText(a.id, b.id))) {
      const refused = refusalOf(endpoint, provider);
      const known =
        refused === undefined ? usualExclusions(endpoint, provider, modelContext, admitted) : null;
      found = found.concat(known ?? judged(endpoint, provider, others(), modelContext, refused));
    }
  }
  return found;
}

function otherKeys(
  slug: string,
  { keys, caller }: ModelContext,
  admitted: readonly RoutableKey[],
): readonly RoutableKey[] {
  const isAdmitted = new Set(admitted);
  return keys
    .ofProvider(slug)
    .filter((one) => !isAdmitted.has(one) && isUsableIn(one.key, caller.workspaceId));
}

/** The keys that are not for the model. */
function withoutEndpoint(
  slug: string,
  endpoints: readonly Endpoint[],
  others: () => readonly RoutableKey[],
  modelContext: ModelContext,
): Exclusion[] {
  const [endpoint] = endpoints;
  if (endpoint !== undefined && strangersOf(endpoint, modelContext) !== null) return [];
  return others()
    .filter((key) => !key.servesModel(modelContext.model.id))
    .map((key) =>
      exclusionOf(slug, null, key.key, judgeKeyWithoutEndpoint({ providerSlug: slug, key }, modelContext)),
    );
}

/**
 * The exclusions of any caller, but for those of the keys that name this one; null where credentials or the endpoint make a
 * difference.
 */
function usualExclusions(
  endpoint: Endpoint,
  provider: Provider,
  modelContext: ModelContext,
  admitted: readonly RoutableKey[],
): readonly Exclusion[] | null {
  const { keys, caller } = modelContext;
  const [first] = keys.ofProvider(provider.slug);
  const strangers = strangersOf(endpoint, modelContext);
  if (first === undefined || strangers === null) return null;
  if (findHidden(pairOf(endpoint, provider, first, modelContext), modelContext) !== undefined) return null;
  const naming = keys
    .naming(caller)
    .filter(({ key }) => key.provider === provider.slug && isUsableIn(key, caller.workspaceId));
  if (naming.length === 0) return strangers;
  const isAdmitted = new Set(admitted);
  const own = judged(
    endpoint,
    provider,
    naming.filter((key) => !isAdmitted.has(key)),
    modelContext,
    undefined,
  );
  const ownKeys = new Map(own.map((exclusion) => [exclusion.byokKeyId, exclusion]));
  const ids = naming.map(({ key }) => key.id).sort(compareText);
  return replaced(
    strangers,
    ids.map((id) => ({ id, by: ownKeys.get(id) })),
  );
}

/** The exclusions, which are by key, with those of these keys in the places of what is there of them. */
function replaced(
  exclusions: readonly Exclusion[],
  keys: readonly { readonly id: string; readonly by: Exclusion | undefined }[],
): readonly Exclusion[] {
  let all: readonly Exclusion[] = [];
  let taken = 0;
  for (const { id, by } of keys) {
    const at = firstFrom(exclusions, id);
    all = all.concat(exclusions.slice(taken, at), by ?? []);
    taken = exclusions[at]?.byokKeyId === id ? at + 1 : at;
  }
  return all.concat(exclusions.slice(taken));
}

/** The first place whose key does not come before this one. */
function firstFrom(exclusions: readonly Exclusion[], id: string): number {
  let [low, high] = [0, exclusions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(exclusions[middle]?.byokKeyId ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The endpoint with each of the keys that serve the model. */
function judged(
  endpoint: Endpoint,
  provider: Provider,
  keys: readonly RoutableKey[],
  modelContext: ModelContext,
  refused: ReasonedExclusion | undefined,
): Exclusion[] {
  return keys.flatMap((key) => {
    if (!key.servesModel(modelContext.model.id)) return [];
    const hidden = findHidden(pairOf(endpoint, provider, key, modelContext), modelContext);
    const reasoned = hidden ?? refused ?? unavailableKey({ providerSlug: provider.slug, key }, modelContext);
    return reasoned === undefined ? [] : [exclusionOf(provider.slug, endpoint.id, key.key, reasoned)];
  });
}
