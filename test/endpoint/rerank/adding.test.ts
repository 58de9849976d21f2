import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { orderOf, RERANK_KEY, startRerankHost } from '../../support/fakes/fake-rerank-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { share } from '../../support/providers.js';
import { bodyOf } from '../../support/rest.js';
import { DOCUMENTS, indexesIn, QUERY } from './rerank.fixture.js';

interface Example {
  readonly providers: readonly { readonly slug: string }[];
  readonly models: readonly { readonly id: string }[];
}

it('the models of the example on the page rerank once they are added', async () => {
  const page = readFileSync('docs/rerank.md', 'utf8');
  const { providers, models } = JSON.parse(
    /```json\n(\{"providers".*?)```/s.exec(page)?.[1] ?? '',
  ) as Example;
  const vllm = await startRerankHost({ form: 'vllm' });
  const cohere = await startRerankHost();
  const gateway = await startMoneyGateway({
    models,
    providers: [
      ...providers.map((provider) => ({ ...provider, base_url: vllm.baseUrl })),
      { slug: 'cohere', name: 'Cohere', adapter: 'openai', base_url: cohere.baseUrl },
    ],
  });
  await share(gateway, 'cohere', RERANK_KEY);
  const costs = [];
  for (const { id } of models) {
    const sent = { model: id, query: QUERY, documents: DOCUMENTS };
    const answer = bodyOf(await gateway.use('POST', '/rerank', sent));
    expect(indexesIn(answer)).toEqual(orderOf(DOCUMENTS));
    costs.push(answer.usage);
  }
  expect(costs).toMatchObject([{ cost: 0.002 }, { cost: 0 }]);
});
