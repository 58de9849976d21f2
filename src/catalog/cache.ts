import { type Catalog, createCatalog } from './catalog.js';
import type { CatalogStore } from './store.js';

/** The current catalogue in memory, reloaded after each change of the stored one. */
export interface CatalogCache {
  /** Never older than the last change that this process was notified of; waits while that is loaded. */
  current(): Promise<Catalog>;
  /** Stops listening for changes. */
  close(): void;
}

/** Loads the stored catalogue lazily; versions count up from 1. A failed load is retried by the next call. */
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
