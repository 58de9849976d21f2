import { describe, expect, it } from 'vitest';
import { embeddingModel } from '../../support/catalog.js';
import { EMBEDDINGS_PROFILE } from '../../support/fakes/fake-bedrock/embed.js';
import { FAKE_API_KEY as BEDROCK_KEY, startFakeBedrock } from '../../support/fakes/fake-bedrock.js';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { startMoneyGateway } from '../../support/money.js';
import { share } from '../../support/providers.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';
import { vectorsIn } from './embeddings.fixture.js';
import { BY_NAME, type HostRow, startHost } from './hosts.fixture.js';

function rowOf(name: string): HostRow {
  const found = BY_NAME.find(([known]) => known === name);
  if (found === undefined) throw new Error(`${name} is no host`);
  return found[1];
}

describe('what embeddings are for', () => {
  it.each([
    ['search_query', 'RETRIEVAL_QUERY'],
    ['search_document', 'RETRIEVAL_DOCUMENT'],
    ['classification', 'CLASSIFICATION'],
    ['clustering', 'CLUSTERING'],
    ['CODE_RETRIEVAL_QUERY', 'CODE_RETRIEVAL_QUERY'],
    [undefined, undefined],
  ])('%s is %s at Vertex AI', async (input_type, task_type) => {
    const { embed, running } = await startHost(rowOf('vertex-text'));
    expect((await embed({ input: ['a', 'b'], input_type })).status).toBe(200);
    expect(running.bodies()).toEqual([
      {
        instances: ['a', 'b'].map((content) => ({ content, ...(task_type && { task_type }) })),
        parameters: { autoTruncate: false },
      },
    ]);
  });

  it.each(['cohere-3', 'cohere-4'])('is said to %s in the same words, and always', async (name) => {
    const { embed, running } = await startHost(rowOf(name));
    await embed({ input: 'a' });
    await embed({ input: 'a', input_type: 'search_query', truncate: 'END' });
    expect(running.bodies()).toEqual([
      { texts: ['a'], input_type: 'search_document', embedding_types: ['float'] },
      { texts: ['a'], input_type: 'search_query', embedding_types: ['float'], truncate: 'END' },
    ]);
  });

  it.each(['openai', 'azure', 'alibaba', 'google-ai-studio', 'mistral', 'titan-1', 'titan-2'])(
    'is not said to %s, and the record tells so',
    async (name) => {
      const { embed, gateway } = await startHost(rowOf(name));
      const answer = await embed({ input: 'a', input_type: 'search_query' });
      expect([answer.status, answer.headers['x-byway-adapted']]).toEqual([200, 'input_type']);
      const { id } = bodyOf(answer);
      const record = recordOf(await gateway.use('GET', `/generation?id=${String(id)}`));
      expect(record.provider_responses).toMatchObject([{ adapted: ['input_type'] }]);
    },
  );
});

describe.each(['mistral', 'vertex-text'])('%s, which bounds the tokens of a call', (name) => {
  it('is sent texts in as many calls as keep to it', async () => {
    const { embed, running } = await startHost(rowOf(name));
    const input = Array.from({ length: 40 }, (_, index) => `${index} `.padEnd(2000, 'ü'));
    const answer = await embed({ input });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    expect(vectorsIn(bodyOf(answer)).map((vector) => (vector as number[]).slice(0, 4))).toEqual(
      input.map((text) => vectorOfInput(text)),
    );
    expect(running.bodies().length).toBeGreaterThan(1);
  });
});

describe('a text that is too long is 400, and never cut', () => {
  it.each([
    ['openai', 8193],
    ['azure', 8193],
    ['vertex-gemini', 2049],
    ['vertex-gemini-2', 8193],
    ['vertex-text', 2049],
    ['titan-1', 8193],
    ['titan-2', 8193],
    ['titan-2', 50_001],
    ['cohere-3', 2049],
  ])('at %s with %i characters', async (name, length) => {
    const { embed } = await startHost(rowOf(name));
    const answer = await embed({ input: 'a'.repeat(length) });
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      400,
      { type: 'invalid_request_error', param: 'input', metadata: { reason: 'context_length_exceeded' } },
    ]);
  });
});

describe('a model that the gateway does not know how to ask', () => {
  it.each([
    ['google-vertex', 'gemini-embedding-9'],
    ['amazon-bedrock', 'amazon.titan-embed-image-v1'],
  ] as const)('at %s is a failure that names it, and nothing is sent', async (adapter, model) => {
    const { embed, requests } = await startAt(adapter, model);
    const answer = await embed({ input: 'a' });
    expect([answer.status, (bodyOf(answer).error as Row).message]).toEqual([
      502,
      expect.stringContaining(`does not know how ${model} makes embeddings`),
    ]);
    expect(requests()).toEqual([]);
  });
});

it.each([
  ['titan-1', 1536],
  ['cohere-3', 1024],
])('%s has %i dimensions alone, which may be asked for', async (name, dimensions) => {
  const { embed, running } = await startHost(rowOf(name));
  const answer = await embed({ input: 'a', dimensions });
  expect([answer.status, vectorsIn(bodyOf(answer))]).toEqual([200, [vectorOfInput('a', dimensions)]]);
  expect(Object.keys(running.bodies()[0] as object).filter((member) => member.includes('dimension'))).toEqual(
    [],
  );
});

it.each(['vertex-gemini', 'vertex-gemini-2', 'titan-2', 'cohere-4'])('%s is sent no images', async (name) => {
  const { embed, running } = await startHost(rowOf(name));
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }];
  expect((await embed({ input: [{ content }] })).status).toBe(400);
  expect(running.bodies()).toEqual([]);
});

describe('at Bedrock', () => {
  it('a profile is known by the id of its model', async () => {
    const { embed } = await startAt('amazon-bedrock', EMBEDDINGS_PROFILE, 'cohere/embed-v4.0');
    const answer = bodyOf(await embed({ input: ['a', 'b'], dimensions: 256 }));
    expect(vectorsIn(answer)).toEqual([vectorOfInput('a', 256), vectorOfInput('b', 256)]);
  });

  it('vectors of Cohere may be a list, and what is not counted is estimated', async () => {
    const { embed, gateway } = await startAt(
      'amazon-bedrock',
      'cohere.embed-english-v3',
      'cohere/embed-english-v3',
      () => ({
        answer: { embeddings: [[1, 2]] },
        headers: { 'x-amzn-bedrock-input-token-count': 'many' },
      }),
    );
    const body = bodyOf(await embed({ input: '12345678' }));
    expect([vectorsIn(body), body.usage]).toMatchObject([[[1, 2]], { prompt_tokens: 2 }]);
    const record = recordOf(await gateway.use('GET', `/generation?id=${String(body.id)}`));
    expect(record).toMatchObject({ counted_by: 'estimate' });
  });
});

describe('an answer that is none', () => {
  it.each<['google-vertex' | 'amazon-bedrock', string, unknown]>([
    ['google-vertex', 'gemini-embedding-2', {}],
    ['google-vertex', 'gemini-embedding-2', { embedding: { values: [] } }],
    ['google-vertex', 'text-embedding-005', {}],
    ['google-vertex', 'text-embedding-005', { predictions: [] }],
    ['google-vertex', 'text-embedding-005', { predictions: [{ embeddings: { values: [] } }] }],
    ['google-vertex', 'text-embedding-005', { predictions: [{ embeddings: { values: ['a'] } }] }],
    ['amazon-bedrock', 'amazon.titan-embed-text-v2:0', {}],
    ['amazon-bedrock', 'amazon.titan-embed-text-v2:0', { embedding: [] }],
    ['amazon-bedrock', 'cohere.embed-english-v3', { embeddings: { float: [[1], [2]] } }],
    ['amazon-bedrock', 'cohere.embed-english-v3', { embeddings: { int8: [[1]] } }],
  ])('of %s (%s) is a failure of the provider: %j', async (adapter, model, answer) => {
    const { embed } = await startAt(adapter, model, undefined, () => ({ answer }));
    const got = await embed({ input: 'a' });
    expect([got.status, bodyOf(got).error]).toMatchObject([
      502,
      { metadata: { provider_responses: [{ error: 'malformed' }] } },
    ]);
  });
});

/** A gateway in front of one model of a fake, which answers by plan. */
async function startAt(
  adapter: 'google-vertex' | 'amazon-bedrock',
  upstream_model_id: string,
  model = 'test/embed',
  plan?: () => object,
) {
  const isVertex = adapter === 'google-vertex';
  const fake = isVertex ? await startFakeVertex() : await startFakeBedrock();
  if (plan !== undefined) fake.plan(upstream_model_id, plan);
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [
      { slug: adapter, name: adapter, adapter, base_url: 'baseUrl' in fake ? fake.baseUrl : fake.origin },
    ],
    models: [embeddingModel(model, [{ provider: adapter, upstream_model_id }])],
  });
  await share(gateway, adapter, 'serviceAccount' in fake ? fake.serviceAccount() : BEDROCK_KEY, adapter);
  return {
    gateway,
    requests: () => fake.requests.map(({ body }) => body),
    embed: (more: object) => gateway.use('POST', '/embeddings', { model, ...more }),
  };
}
