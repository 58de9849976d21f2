import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { type RerankingSchema, RerankService } from '../../../../gen/byway/v1/rerank_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { rerank } = RerankService.method;

/** As it is written, not as a message that was made. */
type Reranking = Omit<MessageInitShape<typeof RerankingSchema>, '$typeName' | '$unknown'>;

const documents: NonNullable<Reranking['documents']> = [
  { form: { case: 'text', value: 'nothing' } },
  { form: { case: 'object', value: { text: 'Hello there', extra: { title: 'a' } } } },
];

/** A request with the account's API key. */
function ranked(request: Reranking) {
  return { as: by.apiKey, ask: () => ({ request: { query: 'hello', documents, ...request } }) };
}

/** All forms of the members, and some that the contract does not name. */
const EVERYTHING: Reranking = {
  models: { values: ['test/rerank'] },
  topN: 1,
  returnDocuments: true,
  maxTokensPerDoc: 100,
  user: 'somebody',
  extra: { priority: 1 },
};

export const RERANK_CASES: readonly Case[] = [
  answers(rerank, 'documents in the order of their relevance', ranked({ model: 'test/rerank' }), {
    model: 'test/rerank',
    results: [
      { index: 1, relevance_score: 1, document: { text: 'Hello there' } },
      { index: 0, relevance_score: 0, document: { text: 'nothing' } },
    ],
    usage: { total_tokens: 5, cost: expect.any(Number) },
  }),
  answers(rerank, 'every form of a request', ranked(EVERYTHING), { results: [{ index: 1 }] }),
  fails(rerank, 'an unknown model', ranked({ model: 'test/m' }), { status: 400, reason: 'unknown_model' }),
  fails(rerank, 'no documents', ranked({ model: 'test/rerank', documents: [] }), {
    status: 400,
    violations: [{ field: 'documents', rule: 'count' }],
  }),
];
