/** OpenRouter's SDK, unmodified, in front of a gateway. */
import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import { demoModel, demoProvider, embeddingModel, rerankModel } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';

/** The members that the SDK knows by names of its own. */
export const ALIASES =
  'hub_model_id=hugging_face_id,arena_rankings=design_arena,analysis_index=artificial_analysis';

export const MODEL = 'test/m';
export const EMBEDDING_MODEL = 'test/embed';
export const RERANK_MODEL = 'test/rerank';

/** A model with all that the SDK reads, and one with as little as a catalogue may say. */
const CATALOG = {
  providers: [
    demoProvider('demo'),
    demoProvider('openai', { data_policy: { zdr: true, data_collection: false } }),
  ],
  models: [
    demoModel(MODEL, ['demo', 'openai'], {
      hub_model_id: 'hub/m',
      description: 'A model',
      benchmarks: {
        arena_rankings: [{ arena: 'models', category: 'website', elo: 1200.5, win_rate: 55.5 }],
        analysis_index: { intelligence_index: 50, coding_index: null, agentic_index: 40 },
      },
    }),
    {
      id: 'test/plain',
      name: 'Plain',
      created: 1_740_000_000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'demo', upstream_model_id: 'echo', pricing: { prompt: '0', completion: '0' } }],
    },
    embeddingModel(EMBEDDING_MODEL, ['demo']),
    rerankModel(RERANK_MODEL, ['demo']),
    demoModel('demo/status-503', [{ provider: 'demo', upstream_model_id: 'status-503' }]),
  ],
};

export type SdkWorld = Awaited<ReturnType<typeof launchSdk>>;

export async function launchSdk() {
  const gateway = await launchGateway({ catalog: CATALOG, env: { BYWAY_FIELD_ALIASES: ALIASES } });
  /** Method and path of each request that the SDK has made. */
  const requests: string[] = [];
  const httpClient = new HTTPClient({
    fetcher(input, init) {
      const request = new Request(input, init);
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return fetch(request);
    },
  });
  const sdk = (apiKey: string) =>
    new OpenRouter({ serverURL: gateway.rest, apiKey, httpClient, retryConfig: { strategy: 'none' } });
  return {
    gateway,
    requests,
    use: sdk(gateway.apiKey),
    manage: sdk(gateway.managementKey),
    sdk,
    stop: () => gateway.stop(),
  };
}
