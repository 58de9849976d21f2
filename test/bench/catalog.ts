import { readFileSync } from 'node:fs';

interface ModelRecord {
  readonly id: string;
  readonly canonical_slug?: string;
  readonly alias_target?: object;
  readonly endpoints: readonly object[];
}

const DEFAULT_CATALOG = new URL('../../src/catalog/data/default-catalog.json', import.meta.url);

/** Prices above 0 at which no number of benchmarked requests can use up the demo account's credits. */
const TINY_PRICES = { prompt: '0.0000000001', completion: '0.0000000001' };

/** No request is too long for the benchmarked models: its cost is what is measured. */
const LIMITLESS_CONTEXT = 100_000_000;

/** The model that the provider at `providerUrl` serves. */
export const BYOK_MODEL = 'openai/bench';

/**
 * A catalogue file of so many models: the packaged one, and copies of its records under further names; with them
 * `BYOK_MODEL` at the provider `openai`, which is at `providerUrl`.
 */
export function catalogOf(modelCount: number, providerUrl: string): string {
  const packaged = JSON.parse(readFileSync(DEFAULT_CATALOG, 'utf8')) as {
    providers: readonly { readonly slug: string }[];
    models: readonly ModelRecord[];
  };
  const providers = packaged.providers.map((provider) =>
    provider.slug === 'openai' ? { ...provider, base_url: `${providerUrl}/v1` } : provider,
  );
  const models = [byokModel(packaged.models), ...packaged.models];
  const originals = models.filter(({ alias_target }) => alias_target === undefined);
  const more = Array.from({ length: modelCount - models.length }, (_, index) => {
    const original = originals[index % originals.length];
    if (original === undefined) throw new Error('the packaged catalogue has no models');
    const suffix = `-copy-${index}`;
    const { id, canonical_slug = id } = original;
    return { ...original, id: `${id}${suffix}`, canonical_slug: `${canonical_slug}${suffix}` };
  });
  return JSON.stringify({ providers, models: [...models.map(cheapDemo), ...more] });
}

/** A copy of the first model that the provider really has. */
function byokModel(models: readonly ModelRecord[]): ModelRecord {
  const original = models.find(({ id }) => id.startsWith('openai/'));
  if (original === undefined) throw new Error('the packaged catalogue has no models of OpenAI');
  const endpoint = {
    provider: 'openai',
    upstream_model_id: 'bench',
    formats: ['chat', 'messages', 'responses', 'embeddings'],
    pricing: TINY_PRICES,
    context_length: LIMITLESS_CONTEXT,
  };
  return { ...original, id: BYOK_MODEL, canonical_slug: BYOK_MODEL, endpoints: [endpoint] };
}

function cheapDemo(model: ModelRecord): ModelRecord {
  if (model.id !== 'demo/echo') return model;
  return {
    ...model,
    endpoints: model.endpoints.map((endpoint) => ({
      ...endpoint,
      pricing: TINY_PRICES,
      context_length: LIMITLESS_CONTEXT,
    })),
  };
}
