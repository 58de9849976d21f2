import { expect, it } from 'vitest';
import { embeddingModel } from '../../support/catalog.js';
import { startEmbeddingHost, vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey } from '../../support/providers.js';
import { bodyOf } from '../../support/rest.js';
import { vectorsIn } from './embeddings.fixture.js';

const API_KEY = 'fake-azure-key-0123456789abcdef';
const VECTORS = 'openai/embed';

const PLACE = 'https://r.openai.azure.com/openai/deployments/mine';

const deployment = (model_slug: string, operation: string) => ({
  model_slug,
  endpoint_url: `${PLACE}${operation}?api-version=2024-10-21`,
  api_key: API_KEY,
  model_id: 'mine',
});

const resource = (more: object) => ({ api_key: API_KEY, resource_name: 'r', ...more });

const DATED = '?api-version=2024-10-21';

it.each<[string, object, string]>([
  [
    'a deployment of embeddings',
    deployment(VECTORS, '/embeddings'),
    `/openai/deployments/mine/embeddings${DATED}`,
  ],
  [
    'a deployment whose URL is that of chats',
    deployment(VECTORS, '/chat/completions'),
    `/openai/deployments/mine/embeddings${DATED}`,
  ],
  ['a resource', resource({}), '/openai/v1/embeddings'],
  ['a resource without deployments', resource({ resource_type: 'catalog' }), '/openai/v1/embeddings'],
  [
    'a resource of a version',
    resource({ api_version: '2024-10-21' }),
    `/openai/deployments/embed-1/embeddings${DATED}`,
  ],
])('embeddings are asked of %s at its own path', async (_, entry, path) => {
  const { host, gateway } = await startAzure(entry);
  const answer = await gateway.use('POST', '/embeddings', { model: VECTORS, input: ['a', 'b'] });
  expect([answer.status, vectorsIn(bodyOf(answer))]).toEqual([200, [vectorOfInput('a'), vectorOfInput('b')]]);
  expect(host.calls).toMatchObject([{ path, key: API_KEY }]);
});

async function startAzure(entry: object) {
  const host = await startEmbeddingHost();
  const endpoint = {
    provider: 'azure',
    upstream_model_id: 'embed-1',
    pricing: { prompt: '0.00000013', completion: '0' },
  };
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [{ slug: 'azure', name: 'Azure', adapter: 'azure', base_url: host.origin }],
    models: [embeddingModel(VECTORS, [endpoint])],
  });
  await addKey(gateway, 'azure', JSON.stringify([entry]));
  return { host, gateway };
}
