import type { CatalogFile } from './input/input.js';

/** Where the catalogue is kept between restarts and shared by processes. */
export interface CatalogStore {
  /** What is live: neither retired providers nor retired models. */
  load(): Promise<CatalogFile>;
  /**
   * Replaces what is live by what `decide` makes of it, in one transaction; when `decide` throws nothing changes.
   * What the new state lacks is retired: neither listed nor routed, its history kept.
   */
  replace(decide: (live: CatalogFile) => CatalogFile): Promise<void>;
  /** Calls `listener` after every committed change, by this process or another. Returns what ends it. */
  onChange(listener: () => void): () => void;
}
