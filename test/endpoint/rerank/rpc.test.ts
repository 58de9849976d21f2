import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, it } from 'vitest';
import { createByway } from '../../../src/client/index.js';
import { orderOf, scoreOf } from '../../support/fakes/fake-rerank-host.js';
import { DOCUMENTS, MODEL, QUERY, startRerank } from './rerank.fixture.js';

const documents = DOCUMENTS.map((text, index) =>
  index === 0
    ? { form: { case: 'object' as const, value: { text } } }
    : { form: { case: 'text' as const, value: text } },
);

it.each(['gRPC', 'Connect in JSON'] as const)('over %s the same documents are ranked', async (transport) => {
  const { gateway } = await startRerank();
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const { reranking } = createByway(
    transport === 'gRPC'
      ? createGrpcTransport({ baseUrl: gateway.url })
      : createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1', useBinaryFormat: false }),
  );
  const request = { model: MODEL, query: QUERY, documents, topN: 2 };
  const { results, usage, model } = await reranking.create({ request }, { headers });
  expect(
    results.map(({ index, relevanceScore, document }) => [index, relevanceScore, document?.text]),
  ).toEqual(
    orderOf(DOCUMENTS)
      .slice(0, 2)
      .map((index) => [index, scoreOf(DOCUMENTS[index] ?? ''), DOCUMENTS[index]]),
  );
  expect([model, usage]).toMatchObject([MODEL, { search_units: 1, cost: 0.002 }]);
  await expect(reranking.create({ request: { ...request, documents: [] } }, { headers })).rejects.toThrow(
    /\[invalid_argument\].*documents/,
  );
});
