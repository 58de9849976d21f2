import { PARAMETERS } from '../enums.js';
import type { Endpoint, Model, Pricing } from '../types.js';
import { hiddenReason, type Visibility } from '../visibility.js';
import type { Catalog } from './catalog.js';

/** Data of the cheapest visible endpoint. */
interface TopProvider {
  readonly isModerated: boolean;
  readonly contextLength: number | null;
  readonly maxCompletionTokens: number | null;
}

/** A model as listed for one caller. */
export interface ListedModel extends Omit<Model, 'pricing' | 'aliasTarget' | 'endpoints'> {
  readonly pricing: Pricing;
  readonly topProvider: TopProvider;
  /** The concrete target of an alias; null for other models. */
  readonly aliasTarget: { readonly slug: string; readonly name: string } | null;
  readonly links: { readonly details: string };
}

/** The path below which `links.details` is. */
const REST_ROOT = '/api/v1';

/**
 * The models with at least one visible endpoint, in list order. Price, limits and parameters come from visible endpoints
 * only. An alias is listed when its target is.
 */
export function listModels(catalog: Catalog, visibility: Visibility): ListedModel[] {
  return catalog.models.flatMap((model) => listedModel(catalog, model, visibility) ?? []);
}

/** One of the catalogue's models or aliases as `listModels` has it; undefined where that leaves it out. */
export function listedModel(catalog: Catalog, model: Model, visibility: Visibility): ListedModel | undefined {
  const target = model.aliasTarget === null ? model : catalog.resolve(model.id)?.model;
  if (target === undefined) return undefined;
  const [best, ...others] = visibleEndpoints(catalog, target, visibility);
  return best && listModel(model, target, best, others);
}

/** The model's endpoints that the caller may see, cheapest first. */
export function visibleEndpoints(catalog: Catalog, model: Model, visibility: Visibility): Endpoint[] {
  return model.endpoints.filter((endpoint) => {
    const provider = catalog.providers.get(endpoint.provider);
    return provider !== undefined && hiddenReason(endpoint, provider, visibility) === null;
  });
}

function listModel(model: Model, target: Model, best: Endpoint, others: readonly Endpoint[]): ListedModel {
  const visible = [best, ...others];
  const { endpoints: _, ...record } = model;
  return {
    ...record,
    contextLength: model.contextLength ?? largest(visible.map((endpoint) => endpoint.contextLength)),
    pricing: model.pricing ?? best.pricing,
    supportedParameters: unionOf(visible.map((endpoint) => endpoint.supportedParameters)),
    topProvider: {
      isModerated: best.isModerated,
      contextLength: best.contextLength,
      maxCompletionTokens: best.maxCompletionTokens,
    },
    aliasTarget: model.aliasTarget === null ? null : { slug: target.id, name: target.name },
    links: {
      details: `${REST_ROOT}/models/${model.id.split('/').map(encodeURIComponent).join('/')}/endpoints`,
    },
  };
}

/** The union of the lists, in the order of `PARAMETERS`. */
function unionOf(lists: readonly (readonly string[])[]): readonly string[] {
  const named = new Set<string>(lists.flat());
  return PARAMETERS.filter((name) => named.has(name));
}

function largest(lengths: readonly (number | null)[]): number | null {
  return lengths.reduce((max, length) => (length !== null && length > (max ?? 0) ? length : max), null);
}
