import { expect, it } from 'vitest';
import { rerankModel } from '../../support/catalog.js';
import { FAKE_API_KEY, FAKE_REGION, startFakeBedrock } from '../../support/fakes/fake-bedrock.js';
import { orderOf } from '../../support/fakes/fake-rerank-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey } from '../../support/providers.js';
import { bodyOf } from '../../support/rest.js';
import { DOCUMENTS, indexesIn, MODEL, QUERY, recordIn } from './rerank.fixture.js';

it.each(['cohere.rerank-v3-5:0', 'amazon.rerank-v1:0'])(
  "%s is invoked with what it takes, and billed by the gateway's own count of searches",
  async (upstream_model_id) => {
    const fake = await startFakeBedrock();
    const pricing = { prompt: '0', completion: '0', request: '0.002' };
    const gateway = await startMoneyGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      providers: [
        {
          slug: 'bedrock',
          name: 'Bedrock',
          adapter: 'amazon-bedrock',
          base_url: fake.baseUrl,
          regions: [FAKE_REGION],
        },
      ],
      models: [rerankModel(MODEL, [{ provider: 'bedrock', upstream_model_id, pricing }])],
    });
    await addKey(gateway, 'bedrock', FAKE_API_KEY);
    const sent = { model: MODEL, query: QUERY, documents: DOCUMENTS, max_tokens_per_doc: 100 };
    const body = bodyOf(await gateway.use('POST', '/rerank', sent));
    expect(indexesIn(body)).toEqual(orderOf(DOCUMENTS));
    expect(body.usage).toMatchObject({ search_units: 1, cost_details: { upstream_inference_cost: 0.002 } });
    const isOfCohere = upstream_model_id.startsWith('cohere');
    expect(fake.requests.map(({ path, body: asked }) => [path, asked])).toEqual([
      [
        `/model/${encodeURIComponent(upstream_model_id)}/invoke`,
        {
          query: QUERY,
          documents: DOCUMENTS,
          top_n: DOCUMENTS.length,
          ...(isOfCohere && { api_version: 2 }),
        },
      ],
    ]);
    expect(await recordIn({ gateway }, body)).toMatchObject({
      counted_by: 'estimate',
      provider_responses: [{ adapted: ['max_tokens_per_doc'] }],
    });
  },
);
