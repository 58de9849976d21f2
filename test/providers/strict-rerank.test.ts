import { expect, it } from 'vitest';
import { type RerankForm, rerankRefusal } from '../support/strict/rerank.js';

const TAKEN = { model: 'reranker', query: 'a', documents: ['b', 'c'] };

it.each<[RerankForm, object]>([
  ['cohere', { top_n: 1, max_tokens_per_doc: 10, priority: 1 }],
  ['jina', { top_n: 1, return_documents: false }],
  ['voyage', { top_k: 1, truncation: true, return_documents: true }],
  ['vllm', { top_n: 1, truncate_prompt_tokens: 10, unknown: true }],
])('a host in the form of %s takes what it documents', (form, members) => {
  expect(rerankRefusal(form, { ...TAKEN, ...members })).toBeUndefined();
});

it.each<[RerankForm, object, number]>([
  ['cohere', { query: '' }, 400],
  ['cohere', { documents: [] }, 400],
  ['cohere', { documents: Array.from({ length: 1001 }, () => 'a') }, 400],
  ['cohere', { documents: [{ text: 'a' }] }, 422],
  ['cohere', { top_k: 1 }, 422],
  ['cohere', { return_documents: true }, 422],
  ['jina', { max_tokens_per_doc: 1 }, 422],
  ['voyage', { top_n: 1 }, 400],
  ['voyage', { documents: ['a', ''] }, 400],
  ['vllm', { documents: [{ text: 'a' }] }, 422],
])('a host in the form of %s refuses %o', (form, members, status) => {
  expect(rerankRefusal(form, { ...TAKEN, ...members })?.[0]).toBe(status);
});
