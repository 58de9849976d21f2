import type { Generated } from 'kysely';
import type { SealedColumns } from './sealed-columns.js';

/** `document_json` is the provider in the native format of the catalogue. */
export interface CatalogProviderTable {
  slug: string;
  document_json: string;
  /** `operator`: its own, which no list changes. */
  origin: Generated<'operator' | 'package'>;
  /** Retired rows are neither listed nor routed, but generations still name them. */
  retired_at: number | null;
}

/** `document_json` is the model with its endpoints in the native format of the catalogue. */
export interface CatalogModelTable {
  id: string;
  document_json: string;
  origin: Generated<'operator' | 'package'>;
  retired_at: number | null;
}

/** Values of the headers that a provider's host gets; their names stand in the provider's document. */
export interface ProviderHeaderTable extends SealedColumns {
  /** `PROVIDER:NAME`, the name in lower case. */
  id: string;
  provider: string;
  name: string;
}
