import type { CatalogFile } from '../input/catalog-file.js';

/** What is stored of the value of a header. */
export interface StoredHeader {
  readonly ciphertext: Buffer;
  readonly wrappedDataKey: Buffer;
  readonly masterKeyId: string;
}

export type SealHeader = (provider: string, name: string, value: string) => StoredHeader;

/** Storage of the catalogue, shared by processes. */
export interface CatalogStore {
  /** Without retired providers and models. */
  load(): Promise<CatalogFile>;
  /**
   * Replaces the catalogue by what `decide` returns, in one transaction; nothing changes when `decide` throws. Providers
   * and models that are missing in the new catalogue are retired: neither listed nor routed, but still on record. Values of
   * headers are stored as `sealHeader` makes them, or kept where they read `SECRET`; the others go.
   */
  replace(decide: (live: CatalogFile) => CatalogFile, sealHeader?: SealHeader): Promise<void>;
  /** Calls `listener` after every committed change, by any process. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}
