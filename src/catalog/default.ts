/** The packaged catalogue, a native file, which the first start imports unless the operator names another one. */
export const DEFAULT_CATALOG_FILE = new URL('./data/default-catalog.json', import.meta.url);
