/** Providers as the catalogue file states them. */
export interface CatalogProviderTable {
  slug: string;
  document_json: string;
  /** Retired rows are neither listed nor routed; history goes on naming them. */
  retired_at: number | null;
}

/** Models with their endpoints as the catalogue file states them. */
export interface CatalogModelTable {
  id: string;
  document_json: string;
  retired_at: number | null;
}
