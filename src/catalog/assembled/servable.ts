/** Endpoints that no operation here can use, for `byway catalog check` and the build of the packaged catalogue. */

import { isServable } from '../formats.js';
import type { CatalogFile } from '../input/catalog-file.js';
import type { Endpoint } from '../types.js';
import { createCatalog } from './catalog.js';

/** The endpoints of a validated file whose formats nothing here speaks, in the order of the models. */
export function unservableEndpoints(file: CatalogFile): Endpoint[] {
  const { models, providers } = createCatalog(file, 1);
  return models.flatMap(({ endpoints }) =>
    endpoints.filter((endpoint) => {
      const provider = providers.get(endpoint.provider);
      return provider !== undefined && !isServable(endpoint, provider);
    }),
  );
}

/** The file without those endpoints, without models that had no others, their aliases, and providers of nothing. */
export function servableOnly(file: CatalogFile): CatalogFile {
  const left = new Set(
    unservableEndpoints(file).map(({ modelId, provider, upstreamModelId }) =>
      [modelId, provider, upstreamModelId].join(' '),
    ),
  );
  const served = file.models.map((model) => ({
    ...model,
    endpoints: model.endpoints.filter(
      ({ provider, upstreamModelId }) => !left.has([model.id, provider, upstreamModelId].join(' ')),
    ),
  }));
  const ids = new Set(served.flatMap(({ id, endpoints }) => (endpoints.length > 0 ? [id] : [])));
  const models = served.filter(({ id, aliasTarget }) => ids.has(aliasTarget ?? id));
  const slugs = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)));
  return { models, providers: file.providers.filter(({ slug }) => slugs.has(slug)) };
}
