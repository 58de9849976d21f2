/** `document_json` is the provider in the native format of the catalogue. */
export interface CatalogProviderTable {
  slug: string;
  document_json: string;
  /** Retired rows are neither listed nor routed, but generations still name them. */
  retired_at: number | null;
}

/** `document_json` is the model with its endpoints in the native format of the catalogue. */
export interface CatalogModelTable {
  id: string;
  document_json: string;
  retired_at: number | null;
}
