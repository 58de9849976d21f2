/** The packaged catalogue, a native file: what a first start imports when the operator names no other. */
export const DEFAULT_CATALOG_FILE = new URL('./data/default-catalog.json', import.meta.url);
