import { describe, expect, it } from 'vitest';
import { rerankModel } from '../../support/catalog.js';
import { orderOf, RERANK_KEY, scoreOf } from '../../support/fakes/fake-rerank-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey } from '../../support/providers.js';
import { bodyOf, type Row, recordOf, send } from '../../support/rest.js';
import { DOCUMENTS, indexesIn, MODEL, QUERY, recordIn, startRerank } from './rerank.fixture.js';

const ORDER = orderOf(DOCUMENTS);

it('has the form of Cohere with the documents and the cost, and its record says what it was', async () => {
  const started = await startRerank({ slug: 'cohere' });
  const answer = await started.rerank({ top_n: 2, user: 'someone' });
  const body = bodyOf(answer);
  expect(body).toEqual({
    id: answer.headers['x-generation-id'],
    model: MODEL,
    provider: 'cohere',
    results: ORDER.slice(0, 2).map((index) => ({
      index,
      relevance_score: scoreOf(DOCUMENTS[index] ?? ''),
      document: { text: DOCUMENTS[index] },
    })),
    usage: {
      prompt_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
      search_units: 1,
      cost: 0.002,
      is_byok: false,
      cost_details: {
        upstream_inference_cost: null,
        upstream_inference_prompt_cost: 0,
        upstream_inference_completions_cost: 0,
      },
    },
  });
  expect(started.hosts[0]?.calls).toEqual([
    {
      path: '/v2/rerank',
      key: RERANK_KEY,
      body: { model: 'reranker', query: QUERY, documents: DOCUMENTS, top_n: 2 },
    },
  ]);
  expect(await recordIn(started, body)).toMatchObject({
    api: 'rerank',
    lane: 'native',
    model: MODEL,
    tokens_completion: 0,
    finish_reason: null,
    usage: 0.002,
    end_user: 'someone',
    counted_by: 'provider',
    provider_responses: [{ adapted: ['user'] }],
  });
});

const FORMS = ['cohere', 'jina', 'voyage', 'vllm', 'localai', 'sglang'] as const;

describe.each(FORMS)('a host in the form of %s', (form) => {
  it('ranks as many documents as are wanted, whatever form they have and whatever it answers of them', async () => {
    const { rerank, hosts } = await startRerank({ slug: form, plans: [{ form }] });
    const asked = { max_tokens_per_doc: 512, return_documents: false };
    const all = bodyOf(await rerank(asked));
    expect([indexesIn(all), (all.results as Row[]).map(({ document }) => document)]).toEqual([
      ORDER,
      ORDER.map((index) => ({ text: DOCUMENTS[index] })),
    ]);
    const documents = DOCUMENTS.map((text, index) =>
      index % 2 === 0 ? text : { text, title: 'not ranked' },
    );
    const some = bodyOf(await rerank({ documents, top_n: 3, return_documents: true }));
    expect(some.results).toEqual((all.results as Row[]).slice(0, 3));
    expect(hosts[0]?.calls[1]?.body.documents).toEqual(DOCUMENTS);
  });

  it('is asked for no more documents than there are', async () => {
    const { rerank } = await startRerank({ slug: form, plans: [{ form }] });
    const body = bodyOf(await rerank({ top_n: 1_000_000 }));
    expect(indexesIn(body)).toEqual(ORDER);
  });

  it('refuses in words that the client reads', async () => {
    const { rerank } = await startRerank({ slug: form, plans: [{ form, status: () => 400 }] });
    const answer = await rerank();
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      400,
      { type: 'invalid_request_error', message: expect.stringContaining('planned') },
    ]);
  });
});

it('results that come in another order are put in that of their scores', async () => {
  const { rerank } = await startRerank({ plans: [{ results: (all) => all.toReversed() }] });
  expect(indexesIn(bodyOf(await rerank()))).toEqual(ORDER);
});

it.each([1, 2, 3])('of a host that ranks more than %i, the best are answered', async (top_n) => {
  const { rerank } = await startRerank({ plans: [{ form: 'localai' }] });
  const answer = bodyOf(await rerank({ top_n }));
  expect([indexesIn(answer), answer.usage]).toMatchObject([ORDER.slice(0, top_n), { search_units: 1 }]);
});

describe('an answer that is none is a failure of the provider, and the next endpoint is asked', () => {
  const result = (index: unknown, relevance_score: unknown = 0.5) => ({ index, relevance_score });
  it.each<[string, unknown]>([
    ['without results', []],
    ['with fewer than are wanted', [result(0)]],
    ['with more, and one of them of no document', [result(0), result(1), result(4)]],
    ['with a document twice', [result(0), result(0)]],
    ['with a document beyond those sent', [result(0), result(4)]],
    ['with a negative index', [result(0), result(-1)]],
    ['with an index that is none', [result(0), result(0.5)]],
    ['with an index as a text', [result(0), result('1')]],
    ['with a score as a text', [result(0), result(1, '0.5')]],
    ['with no score', [result(0), { index: 1 }]],
    ['with null for a score', [result(0), result(1, null)]],
    ['with null for a result', [result(0), null]],
    ['that is an object', { 0: result(0) }],
    ['that is null', null],
  ])('%s', async (_, results) => {
    const started = await startRerank({ plans: [{ results: () => results }, {}] });
    const body = bodyOf(await started.rerank({ top_n: 2 }));
    expect([body.provider, indexesIn(body)]).toEqual(['host-1', ORDER.slice(0, 2)]);
    const { provider_responses } = await recordIn(started, body);
    expect(provider_responses).toMatchObject([{ error: 'malformed' }, { status: 200 }]);
  });

  it('and where there is none left, it is 502, never 200', async () => {
    const { rerank } = await startRerank({ plans: [{ results: () => [] }] });
    const answer = await rerank();
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      502,
      { type: 'server_error', param: null, metadata: { reason: 'upstream_failed' } },
    ]);
  });
});

describe('what is refused before anything is sent', () => {
  it.each<[string, object, string, string]>([
    ['no query', { query: undefined }, 'query', 'required'],
    ['an empty query', { query: '' }, 'query', 'length'],
    ['a query that is a list', { query: ['a'] }, 'query', 'type'],
    ['no documents', { documents: undefined }, 'documents', 'count'],
    ['an empty list of documents', { documents: [] }, 'documents', 'count'],
    ['one document that is no list', { documents: 'a' }, 'documents', 'type'],
    ['1,001 documents', { documents: Array.from({ length: 1001 }, () => 'a') }, 'documents', 'count'],
    ['a document that is a number', { documents: ['a', 1] }, 'documents[1]', 'type'],
    ['a document without a text', { documents: [{ title: 'a' }] }, 'documents[0].text', 'required'],
    [
      'a document with an image',
      { documents: [{ text: 'a', image: 'data:' }] },
      'documents[0].image',
      'unsupported',
    ],
    ['other members to rank by', { rank_fields: ['title'] }, 'rank_fields', 'unsupported'],
    ['no results', { top_n: 0 }, 'top_n', 'range'],
    ['half a result', { top_n: 0.5 }, 'top_n', 'type'],
    ['no tokens of a document', { max_tokens_per_doc: 0 }, 'max_tokens_per_doc', 'range'],
    ['another model beside', { models: ['test/tokens'] }, 'models[0]', 'one_model'],
    ['a model of chats', { model: 'test/tokens' }, 'model', 'unsupported'],
  ])('%s', async (_, members, field, rule) => {
    const { rerank, hosts } = await startRerank();
    const answer = await rerank(members);
    const { type, param, metadata } = bodyOf(answer).error as Row & { metadata: { violations: Row[] } };
    expect([answer.status, type, param, metadata.violations]).toEqual([
      400,
      'invalid_request_error',
      field,
      [{ field, rule, message: expect.any(String) }],
    ]);
    expect(hosts[0]?.calls).toEqual([]);
  });

  it('a chat to a model that reranks, which names what it takes', async () => {
    const { gateway } = await startRerank();
    const answer = await gateway.chat(MODEL);
    expect(answer.status).toBe(404);
    expect(bodyOf(answer).error).toMatchObject({
      message: expect.stringContaining('its own API (rerank)') as string,
    });
  });
});

describe('where one fails', () => {
  it('the next endpoint of the model serves', async () => {
    const started = await startRerank({ plans: [{ status: () => 500 }, {}] });
    expect(bodyOf(await started.rerank())).toMatchObject({ provider: 'host-1' });
  });

  it('a key that is rate limited gives way to the next of the same provider', async () => {
    const second = 'sk-fake-rerank-of-the-second-key';
    const status = (key: string) => (key === RERANK_KEY ? 429 : undefined);
    const started = await startRerank({ capacity: 'BYOK keys', plans: [{ status }] });
    await addKey(started.gateway, 'host', second);
    expect(indexesIn(bodyOf(await started.rerank()))).toEqual(ORDER);
    expect(started.hosts[0]?.calls.map(({ key }) => key)).toEqual([RERANK_KEY, second]);
  });
});

it.each(['/v1/rerank', '/v2/rerank', '/api/v2/rerank', '/api/v1/v2/rerank'])(
  'clients of Cohere reach it at %s',
  async (path) => {
    const { gateway } = await startRerank();
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const sent = { model: MODEL, query: QUERY, documents: DOCUMENTS };
    const answer = await send(gateway.url + path, 'POST', { headers, body: sent });
    expect([answer.status, indexesIn(bodyOf(answer))]).toEqual([200, ORDER]);
  },
);

it('the demo provider ranks by the words of the query that a document has', async () => {
  const models = [rerankModel('demo/rerank', ['a'])];
  const { use } = await startMoneyGateway({ models });
  const documents = ['nothing', 'The capital of France', 'a capital', 'CAPITAL, france!'];
  const sent = { model: 'demo/rerank', query: 'capital France', documents, top_n: 3 };
  expect(bodyOf(await use('POST', '/rerank', sent))).toMatchObject({
    results: [
      { index: 1, relevance_score: 1 },
      { index: 3, relevance_score: 1 },
      { index: 2, relevance_score: 0.5, document: { text: 'a capital' } },
    ],
  });
});

it('the explanation of a route names its endpoints and their lane', async () => {
  const { gateway } = await startRerank({ plans: [{}, {}] });
  const sent = { format: 'rerank', model: MODEL };
  const { attempts } = recordOf(await gateway.use('POST', '/routing/explain', sent)) as { attempts: Row[] };
  expect(attempts.map(({ provider, lane }) => ({ provider, lane }))).toEqual([
    { provider: 'host', lane: 'native' },
    { provider: 'host-1', lane: 'native' },
  ]);
});
