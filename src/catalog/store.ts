import type { CatalogFile } from './input/catalog-file.js';

/** Storage of the catalogue, shared by processes. */
export interface CatalogStore {
  /** Without retired providers and models. */
  load(): Promise<CatalogFile>;
  /**
   * Replaces the catalogue by what `decide` returns, in one transaction; nothing changes when `decide` throws. Providers
   * and models that are missing in the new catalogue are retired: neither listed nor routed, but still on record.
   */
  replace(decide: (live: CatalogFile) => CatalogFile): Promise<void>;
  /** Calls `listener` after every committed change, by any process. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}
