/** Hosts that are asked in words of their own, by what is known of them or by quirks. */
import { describe, expect, it } from 'vitest';
import { type EmbeddingPlan, vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { bodyOf } from '../../support/rest.js';
import { record } from '../../support/strict/native/values.js';
import { startEmbeddings, startQuirky, vectorsIn } from './embeddings.fixture.js';
import { BY_NAME, startHost } from './hosts.fixture.js';

function rowOf(name: string) {
  const [, row] = BY_NAME.find(([known]) => known === name) ?? [];
  if (row === undefined) throw new Error(`${name} is no host`);
  return row;
}

describe('what embeddings are for', () => {
  it.each([
    ['nvidia', 'search_query', { input_type: 'query' }],
    ['nvidia', 'search_document', { input_type: 'passage' }],
    ['nvidia', 'query', { input_type: 'query' }],
    ['nvidia', undefined, { input_type: 'passage' }],
    ['nvidia', 'clustering', { input_type: 'passage' }],
    ['voyage', 'search_query', { input_type: 'query', truncation: false }],
    ['voyage', 'search_document', { input_type: 'document', truncation: false }],
    ['voyage', 'classification', { truncation: false }],
    ['voyage', undefined, { truncation: false }],
    ['jina', 'search_query', { task: 'retrieval.query' }],
    ['jina', 'search_document', { task: 'retrieval.passage' }],
    ['jina', 'classification', { task: 'classification' }],
    ['jina', 'clustering', { task: 'separation' }],
    ['jina', 'text-matching', { task: 'text-matching' }],
    ['jina', undefined, {}],
  ])('is said to %s in its own words: %s', async (name, input_type, said) => {
    const { embed, running } = await startHost(rowOf(name));
    const answer = await embed({ input: ['a', 'b'], input_type, encoding_format: 'base64' });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    const { encoding_format, ...sent } = record(running.bodies()[0]);
    expect(sent).toEqual({ model: 'embed-1', input: ['a', 'b'], ...said });
    expect(encoding_format).toBe(name === 'nvidia' ? 'float' : undefined);
  });

  it('is told as left out where the host has no word for it', async () => {
    const { embed } = await startHost(rowOf('voyage'));
    const answer = await embed({ input: 'a', input_type: 'clustering' });
    expect([answer.status, answer.headers['x-byway-adapted']]).toEqual([200, 'input_type']);
  });

  it('is a text to be cut for Voyage only where the request says so', async () => {
    const { embed, running } = await startHost(rowOf('voyage'), { capacity: 'BYOK keys' });
    await embed({ input: 'a', truncation: true });
    expect(running.bodies()).toMatchObject([{ truncation: true }]);
  });
});

describe('usage that tells the prompt by other names', () => {
  it.each([
    ['as the total alone', { total_tokens: 100 }, 100],
    ['as the total beside a prompt of 0', { prompt_tokens: 0, total_tokens: 100 }, 100],
    ['as the total beside null', { prompt_tokens: null, total_tokens: 100 }, 100],
    ['as input_tokens', { input_tokens: 7, total_tokens: 100 }, 7],
    ['beside what no embedding has', { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }, 7],
    ['as 0 everywhere', { prompt_tokens: 0, total_tokens: 0 }, 0],
  ])('%s is billed exactly', async (_, usage, tokens) => {
    const { embed } = await startEmbeddings({ plans: [{ usage }] });
    expect(bodyOf(await embed({ input: 'abcd' })).usage).toMatchObject({
      prompt_tokens: tokens,
      total_tokens: tokens,
      cost: Number((tokens * 0.00000013).toFixed(9)),
    });
  });

  it('is the sum of all parts', async () => {
    const { embed } = await startEmbeddings({
      slug: 'z-ai',
      plans: [{ usage: { total_tokens: 100 } }],
    });
    const input = Array.from({ length: 65 }, (_, index) => `text ${index}`);
    expect(bodyOf(await embed({ input })).usage).toMatchObject({ prompt_tokens: 200 });
  });
});

it('an index of null is none, so that the vector stands where it is', async () => {
  const data: EmbeddingPlan['data'] = (all) => all.map((one) => ({ ...one, index: null }));
  const { embed } = await startEmbeddings({ plans: [{ data }] });
  expect(vectorsIn(bodyOf(await embed({ input: ['a', 'b'] })))).toEqual([
    vectorOfInput('a'),
    vectorOfInput('b'),
  ]);
});

describe('quirks of a host', () => {
  it('name members of embeddings, count them, and say how many inputs it takes in a call', async () => {
    const { embed, host } = await startQuirky(
      {
        members: { dimensions: 'size', user: null, encoding_format: null },
        usage: { prompt_tokens: 'meta.tokens' },
        max_inputs: 2,
      },
      { refuses: () => undefined, usage: { meta: { tokens: 5 }, prompt_tokens: 1 } },
    );
    const answer = await embed({ input: ['a', 'b', 'c'], dimensions: 2, user: 'me' });
    expect(answer.headers['x-byway-adapted']).toBeUndefined();
    expect(host.calls.map(({ body }) => body)).toEqual([
      { model: 'embed-1', input: ['a', 'b'], size: 2 },
      { model: 'embed-1', input: ['c'], size: 2 },
    ]);
    expect(bodyOf(answer).usage).toMatchObject({ prompt_tokens: 10 });
  });
});
