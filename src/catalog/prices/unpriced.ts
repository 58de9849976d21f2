/** What endpoints pass on and have no price of its own for, for `byway catalog check --prices`. */
import { createCatalog } from '../assembled/catalog.js';
import { takesChats } from '../formats.js';
import type { CatalogFile } from '../input/catalog-file.js';
import { isFree } from '../price.js';
import type { AdapterName, Endpoint, Format, Model, PriceKey, Provider } from '../types.js';
import { paysForWrites } from './cache-rules.js';
import { searchesAlways } from './searching-models.js';

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
  { id, architecture: { inputModalities, outputModalities } }: Model,
  endpoint: Endpoint,
  provider: Provider,
): PriceKey[] {
  const { prices } = endpoint.pricing;
  const caches = prices.input_cache_write !== undefined;
  const writesForAnHour = endpoint.formats.some((format) => HOURLY_CACHE[format]);
  return [
    ...(outputModalities.includes('image') && prices.image_output_token === undefined
      ? (['image_output'] as const)
      : []),
    ...(inputModalities.includes('audio') ? (['audio'] as const) : []),
    ...(outputModalities.includes('audio') ? (['audio_output'] as const) : []),
    ...(!caches && paysForWrites(endpoint.provider, id) ? (['input_cache_write'] as const) : []),
    ...(caches && writesForAnHour ? (['input_cache_write_1h'] as const) : []),
    ...(searches(endpoint, provider) ? (['web_search'] as const) : []),
  ];
}

/** Whether requests of a format may write to caches for an hour. */
const HOURLY_CACHE: Readonly<Record<Format, boolean>> = {
  chat: false,
  messages: true,
  responses: false,
  completions: false,
  embeddings: false,
  rerank: false,
};

/** The models, by the beginning of their ids, for which the adapter's hosts search the web. */
const SEARCHING: Readonly<Record<AdapterName, readonly string[]>> = {
  openai: [],
  anthropic: ['anthropic/claude-'],
  azure: [],
  'amazon-bedrock': [],
  'google-vertex': ['anthropic/claude-', 'google/gemini-'],
  demo: [],
};

function searches(endpoint: Endpoint, provider: Pick<Provider, 'adapter' | 'slug'>): boolean {
  const { modelId, upstreamModelId } = endpoint;
  const { adapter, slug } = provider;
  if (!takesChats(endpoint, provider)) return false;
  if (searchesAlways(upstreamModelId) || slug === 'xai') return true;
  return SEARCHING[adapter].some((beginning) => modelId.startsWith(beginning));
}
