/** What entries of rules name in a catalogue: see docs/routing.md#names-in-rules. */
import { foldName, prefixOf } from '../../base/name-pattern.js';
import type { Model } from '../types.js';
import type { Catalog } from './catalog.js';

interface Index {
  readonly byId: ReadonlyMap<string, Model>;
  /** With folded ids, in their order. */
  readonly sorted: readonly { readonly folded: string; readonly model: Model }[];
}

const indexes = new WeakMap<readonly Model[], Index>();

/** The models that the entry names now: one by any of its names, or all whose ids begin so; aliases have no ids of their own. */
export function modelsNamedBy(
  entry: string,
  { models, resolveId }: Pick<Catalog, 'models' | 'resolveId'>,
): readonly Model[] {
  const { byId, sorted } = indexOf(models);
  const prefix = prefixOf(entry);
  if (prefix === undefined) {
    const model = byId.get(resolveId(entry));
    return model === undefined ? [] : [model];
  }
  const found: Model[] = [];
  for (let at = firstFrom(sorted, prefix); sorted[at]?.folded.startsWith(prefix); at++) {
    const model = sorted[at]?.model;
    if (model !== undefined) found.push(model);
  }
  return found;
}

function indexOf(models: readonly Model[]): Index {
  const known = indexes.get(models);
  if (known !== undefined) return known;
  const concrete = models.filter(({ aliasTarget }) => aliasTarget === null);
  const made = {
    byId: new Map(concrete.map((model) => [model.id, model])),
    sorted: concrete
      .map((model) => ({ folded: foldName(model.id), model }))
      .sort((a, b) => (a.folded < b.folded ? -1 : 1)),
  };
  indexes.set(models, made);
  return made;
}

/** The first place whose id does not come before the prefix. */
function firstFrom(sorted: Index['sorted'], prefix: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.folded ?? '') < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}
