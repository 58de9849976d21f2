/** One version of the catalogue, for looking up models by name, and the cache of the current one. */

import { once } from '../../base/memory/once.js';
import { foldName } from '../../base/name-pattern.js';
import { nearestNames } from '../../base/nearest.js';
import { compareText } from '../../base/text.js';
import type { CatalogFile } from '../input/catalog-file.js';
import { authorlessNames } from '../native-names.js';
import type { Model, Provider } from '../types.js';
import { assembleModels } from './assemble.js';
import type { CatalogStore } from './store.js';

/** The model that a name in a request resolves to. */
export interface Resolution {
  /** The concrete model; never an alias. */
  readonly model: Model;
  /** The alias, if the name was one. */
  readonly alias: Model | null;
}

/** One immutable version of the catalogue. */
export interface Catalog {
  readonly version: number;
  /** By slug. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** All models and aliases in list order: `created` descending, then `id`. */
  readonly models: readonly Model[];
  /**
   * Resolves an id, a canonical slug, an alias, or a name without author that means exactly one model; undefined for an
   * unknown name.
   */
  resolve(name: string): Resolution | undefined;
  /**
   * The id that a name resolves to, whatever its case and outer blanks, or the unknown name itself; for comparing lists of
   * names.
   */
  resolveId(name: string): string;
  /** Up to three ids similar to a mistyped name; a name without author is compared to ids without theirs. */
  nearestModelIds(name: string): string[];
}

/** The catalogue of a validated file. Inconsistent entries are left out. */
export function createCatalog(file: CatalogFile, version: number): Catalog {
  const providers = new Map(file.providers.map((provider) => [provider.slug, provider]));
  const models = assembleModels(file, providers).sort(inListOrder);
  const byId = new Map(models.map((model) => [model.id, model]));
  const concrete = models.filter((model) => model.aliasTarget === null);
  const bySlug = new Map([...models, ...concrete].map((model) => [model.canonicalSlug, model]));
  const byNativeName = authorlessNames(models);

  const resolve = (name: string): Resolution | undefined => {
    const named = byId.get(name) ?? bySlug.get(name) ?? byNativeName(name);
    if (named === undefined) return undefined;
    if (named.aliasTarget === null) return { model: named, alias: null };
    const model = byId.get(named.aliasTarget);
    return model === undefined ? undefined : { model, alias: named };
  };
  const byFoldedName = once(
    () => new Map([...bySlug, ...byId].map(([name, model]) => [foldName(name), model])),
  );
  const resolveFolded = (name: string): Resolution | undefined =>
    resolve(name.trim()) ?? resolve(byFoldedName().get(foldName(name))?.id ?? '');
  return {
    version,
    providers,
    models,
    resolve,
    resolveId: (name) => (resolve(name) ?? resolveFolded(name))?.model.id ?? name,
    nearestModelIds: (name) => nearestModelIds(name, models),
  };
}

/** The current catalogue in memory, reloaded after each change of the stored one. */
export interface CatalogCache {
  /** Never older than the last change that this process was notified of; waits while that is loaded. */
  current(): Promise<Catalog>;
  /** Stops listening for changes. */
  close(): void;
}

/** Loads the stored catalogue on the first call; versions count up from 1. A failed load is retried by the next call. */
export function createCatalogCache(store: CatalogStore): CatalogCache {
  let version = 0;
  let loaded: Promise<Catalog> | undefined;
  const close = store.onChange(() => {
    loaded = undefined;
  });
  const load = (): Promise<Catalog> => {
    const loading = store.load().then((file) => createCatalog(file, ++version));
    loading.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return loading;
  };
  return {
    current: () => {
      loaded ??= load();
      return loaded;
    },
    close,
  };
}

function inListOrder(a: Model, b: Model): number {
  return b.created - a.created || compareText(a.id, b.id);
}

function nearestModelIds(name: string, models: readonly Model[]): string[] {
  const whole = name.includes('/');
  const ids = new Map(models.map(({ id }) => [whole ? id : id.slice(id.indexOf('/') + 1), id]));
  return nearestNames(name, ids.keys(), 3).map((near) => ids.get(near) ?? near);
}
