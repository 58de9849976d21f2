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
  const jina = await startRerankHost({ form: 'jina' });
  const vllm = await startRerankHost({ form: 'vllm' });
  const gateway = await startMoneyGateway({
    models,
    providers: providers.map((provider) => ({
      ...provider,
      base_url: provider.slug === 'jina' ? jina.baseUrl : vllm.baseUrl,
    })),
  });
  await share(gateway, 'jina', RERANK_KEY);
  const costs = [];
  for (const { id } of models) {
    const sent = { model: id, query: QUERY, documents: DOCUMENTS };
    const answer = bodyOf(await gateway.use('POST', '/rerank', sent));
    expect(indexesIn(answer)).toEqual(orderOf(DOCUMENTS));
    const { cost, total_tokens } = answer.usage as { cost: number; total_tokens: number };
    costs.push(cost / total_tokens);
  }
  expect(costs).toEqual([expect.closeTo(0.00000002, 12), 0]);
});
