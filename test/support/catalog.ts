/** A native catalogue file, as far as tests need it. */
export interface TestCatalog {
  readonly providers: readonly object[];
  readonly models: readonly object[];
}

/** A provider with the built-in scripted adapter. */
export function demoProvider(slug: string, overrides: object = {}): object {
  return {
    slug,
    name: `Provider ${slug}`,
    adapter: 'demo',
    data_policy: { zdr: true, data_collection: false },
    ...overrides,
  };
}

/** A model with one endpoint at each of the providers, or with the endpoints given. */
export function demoModel(
  id: string,
  endpoints: readonly (string | object)[],
  overrides: object = {},
): object {
  return {
    id,
    name: `Model ${id}`,
    created: 1_750_000_000,
    architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
    pricing: { prompt: '0.000001', completion: '0.000002' },
    context_length: 8192,
    supported_parameters: ['temperature', 'max_tokens', 'stop', 'tools', 'tool_choice', 'response_format'],
    endpoints: endpoints.map((endpoint) =>
      typeof endpoint === 'string' ? { provider: endpoint, upstream_model_id: 'echo' } : endpoint,
    ),
    ...overrides,
  };
}

/** A model that makes embeddings. */
export function embeddingModel(
  id: string,
  endpoints: readonly (string | object)[],
  overrides: object = {},
): object {
  const architecture = {
    modality: 'text->embeddings',
    input_modalities: ['text'],
    output_modalities: ['embeddings'],
  };
  return demoModel(id, endpoints, { architecture, supported_parameters: [], ...overrides });
}

/** A model that reranks. */
export function rerankModel(
  id: string,
  endpoints: readonly (string | object)[],
  overrides: object = {},
): object {
  const architecture = {
    modality: 'text->rerank',
    input_modalities: ['text'],
    output_modalities: ['rerank'],
  };
  return demoModel(id, endpoints, { architecture, supported_parameters: [], ...overrides });
}

/** Providers a, b, c and demo, all scripted; model `test/m1` at a, b and c, `test/m2` at a alone, and demo/echo. */
export function testCatalog(): TestCatalog {
  return {
    providers: ['a', 'b', 'c', 'demo'].map((slug) => demoProvider(slug)),
    models: [
      demoModel('test/m1', ['a', 'b', 'c']),
      demoModel('test/m2', ['a'], { created: 1_740_000_000 }),
      demoModel('demo/echo', ['demo'], { created: 1_730_000_000 }),
    ],
  };
}

/** The test catalogue, and a model `demo/SCRIPT` for each script of the demo provider that tests play. */
export function scriptedCatalog(): TestCatalog {
  const { providers, models } = testCatalog();
  return { providers, models: [...models, ...SCRIPTS.map(scriptedModel)] };
}

const SCRIPTS = [
  'reasoner',
  'tools',
  'slow-20',
  'status-400',
  'status-429',
  'status-500',
  'content-filter',
  'reset',
  'break-after-3',
  'stall-after-3',
];

function scriptedModel(script: string): object {
  return demoModel(`demo/${script}`, [{ provider: 'demo', upstream_model_id: script }]);
}
