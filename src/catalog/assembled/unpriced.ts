/** What endpoints pass on and have no price of its own for, for `byway catalog check --prices`. */

import type { CatalogFile } from '../input/catalog-file.js';
import { isFree } from '../price.js';
import type { AdapterName, Endpoint, Format, Model, PriceKey, Provider } from '../types.js';
import { createCatalog } from './catalog.js';

export interface UnpricedEndpoint {
  readonly endpoint: string;
  /** What it is billed at instead is in `docs/money.md#what-is-billed-at-what`. */
  readonly missing: readonly PriceKey[];
}

/** The endpoints of a validated file that cost anything, in the order of the models. */
export function unpricedEndpoints(file: CatalogFile): UnpricedEndpoint[] {
  const { models, providers } = createCatalog(file, 1);
  return models.flatMap((model) =>
    model.endpoints.flatMap((endpoint) => {
      const provider = providers.get(endpoint.provider);
      if (provider === undefined || isFree(endpoint.pricing)) return [];
      const { prices } = endpoint.pricing;
      const missing = passedOn(model, endpoint, provider).filter((key) => prices[key] === undefined);
      return missing.length === 0 ? [] : [{ endpoint: endpoint.id, missing }];
    }),
  );
}

/** The prices that answers of the endpoint may need. */
function passedOn(
  { architecture: { inputModalities, outputModalities } }: Model,
  endpoint: Endpoint,
  provider: Provider,
): PriceKey[] {
  const caches = endpoint.pricing.prices.input_cache_write !== undefined;
  const writesForAnHour = endpoint.formats.some((format) => HOURLY_CACHE[format]);
  return [
    ...(outputModalities.includes('image') ? (['image_output'] as const) : []),
    ...(inputModalities.includes('audio') ? (['audio'] as const) : []),
    ...(outputModalities.includes('audio') ? (['audio_output'] as const) : []),
    ...(caches && writesForAnHour ? (['input_cache_write_1h'] as const) : []),
    ...(endpoint.modelId.startsWith('anthropic/claude-') && SEARCHING[provider.adapter]
      ? (['web_search'] as const)
      : []),
  ];
}

/** Whether requests of a format may write to caches for an hour. */
const HOURLY_CACHE: Readonly<Record<Format, boolean>> = {
  chat: false,
  messages: true,
  responses: false,
  embeddings: false,
  rerank: false,
};

/** Whether Claude at the adapter's hosts searches the web by itself. */
const SEARCHING: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: true,
  azure: false,
  'amazon-bedrock': false,
  'google-vertex': true,
  demo: false,
};
