/** Models that an import of a public list renames: docs/catalog.md#renamed-models. */
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';

/**
 * Aliases for ids that `next` no longer has. A model counts as renamed where `next` has its endpoints, with the same
 * upstream ids at the same providers, under one other id; aliases of earlier renames stay. The public list knows no
 * ids but its own, so that rules, filters and requests with the old ones would stop working.
 */
export function renamedModels(live: CatalogFile, next: CatalogFile): ModelInput[] {
  const ids = new Set(next.models.map(({ id }) => id));
  const owners = ownersOf(next);
  const renamed = new Map<string, string>();
  const lost = live.models.filter(({ id }) => !ids.has(id));
  for (const { id, endpoints } of lost) {
    const targets = new Set(endpoints.map((endpoint) => owners.get(nameOf(endpoint))));
    targets.delete(undefined);
    const [target] = targets;
    if (targets.size === 1 && typeof target === 'string') renamed.set(id, target);
  }
  return lost.flatMap((model) => {
    const { id, aliasTarget } = model;
    const target = renamed.get(id) ?? earlier(aliasTarget, ids, renamed);
    if (target === undefined || isFamily(id)) return [];
    return [aliasOf(model, target)];
  });
}

/** The id of the only model that has the endpoint; null where several have it. */
function ownersOf({ models }: CatalogFile): ReadonlyMap<string, string | null> {
  const owners = new Map<string, string | null>();
  for (const { id, endpoints } of models) {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint);
      owners.set(name, owners.has(name) && owners.get(name) !== id ? null : id);
    }
  }
  return owners;
}

function nameOf({ provider, upstreamModelId }: Pick<EndpointInput, 'provider' | 'upstreamModelId'>): string {
  return `${provider} ${upstreamModelId}`;
}

/** Where an alias leads now, if anywhere. */
function earlier(
  target: string | null,
  ids: ReadonlySet<string>,
  renamed: ReadonlyMap<string, string>,
): string | undefined {
  if (target === null) return undefined;
  return ids.has(target) ? target : renamed.get(target);
}

/** `~author/family-latest` is the importer's own. */
function isFamily(id: string): boolean {
  return id.startsWith('~');
}

function aliasOf(model: ModelInput, target: string): ModelInput {
  return {
    ...model,
    canonicalSlug: null,
    hubModelId: null,
    pricing: null,
    reasoning: null,
    benchmarks: null,
    architecture: null,
    supportedParameters: null,
    aliasTarget: target,
    endpoints: [],
  };
}
