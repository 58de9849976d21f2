import { describe, expect, it } from 'vitest';
import { EMBEDDING_KEY, vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { MODEL, recordIn, startEmbeddings, vectorsIn } from './embeddings.fixture.js';

const TEXTS = ['Hello', 'Grüezi 👋🏽', 'a'.repeat(300)];

describe.each(['honoured', 'ignored', 'refused'] as const)('a host where base64 is %s', (base64) => {
  it('gives numbers and base64 of the same vectors, whatever was asked for', async () => {
    const { embed } = await startEmbeddings({ plans: [{ base64 }] });
    const wanted = TEXTS.map((text) => vectorOfInput(text));
    for (const encoding of [{}, { encoding_format: 'float' }]) {
      const answer = await embed({ input: TEXTS, ...encoding });
      expect([answer.status, vectorsIn(bodyOf(answer))]).toEqual([200, wanted]);
    }
    const answer = bodyOf(await embed({ input: TEXTS, encoding_format: 'base64' }));
    expect(vectorsIn(answer).map(numbersOf)).toEqual(wanted);
  });
});

function numbersOf(base64: unknown): number[] {
  const bytes = Buffer.from(String(base64), 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

it('has the form of OpenAI and the cost, and its record says what it was', async () => {
  const started = await startEmbeddings();
  const answer = await started.embed({ input: ['ab', 'cde'], dimensions: 2, user: 'someone' });
  const body = bodyOf(answer);
  expect(body).toEqual({
    id: answer.headers['x-generation-id'],
    object: 'list',
    model: MODEL,
    provider: 'host',
    data: [
      { object: 'embedding', index: 0, embedding: vectorOfInput('ab', 2) },
      { object: 'embedding', index: 1, embedding: vectorOfInput('cde', 2) },
    ],
    usage: {
      prompt_tokens: 5,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
      cost: 0.00000065,
      is_byok: false,
      cost_details: {
        upstream_inference_cost: null,
        upstream_inference_prompt_cost: 0.00000065,
        upstream_inference_completions_cost: 0,
      },
    },
  });
  expect(started.hosts[0]?.calls.map(({ path, key, body: sent }) => ({ path, key, sent }))).toEqual([
    {
      path: '/v1/embeddings',
      key: EMBEDDING_KEY,
      sent: {
        model: 'embed-1',
        input: ['ab', 'cde'],
        dimensions: 2,
        user: 'someone',
        encoding_format: 'float',
      },
    },
  ]);
  expect(await recordIn(started, body)).toMatchObject({
    api: 'embeddings',
    lane: 'native',
    model: MODEL,
    tokens_prompt: 5,
    tokens_completion: 0,
    finish_reason: null,
    usage: 0.00000065,
    end_user: 'someone',
    counted_by: 'provider',
  });
});

it('counts the inputs itself where the host does not', async () => {
  const started = await startEmbeddings({ plans: [{ usage: null }] });
  const body = bodyOf(await started.embed({ input: ['12345678', [1, 2, 3]].slice(0, 1) }));
  expect(body.usage).toMatchObject({ prompt_tokens: 2, total_tokens: 2 });
  expect(await recordIn(started, body)).toMatchObject({ counted_by: 'estimate' });
  expect(bodyOf(await started.embed({ input: [[1, 2, 3], [4]] })).usage).toMatchObject({ prompt_tokens: 4 });
});

describe('an answer that is none is a failure of the provider, and the next endpoint is asked', () => {
  const vector = [1, 2];
  const one = (embedding: unknown, index = 0) => ({ object: 'embedding', index, embedding });
  it.each<[string, unknown]>([
    ['without vectors', []],
    ['with fewer vectors than inputs', [one(vector)]],
    ['with more', [one(vector), one(vector, 1), one(vector, 2)]],
    ['with an index twice', [one(vector), one(vector)]],
    ['with an index beyond the inputs', [one(vector), one(vector, 2)]],
    ['with an index that is none', [one(vector), one(vector, 0.5)]],
    ['with an empty vector', [one(vector), one([], 1)]],
    ['with vectors of other lengths', [one(vector), one([1, 2, 3], 1)]],
    ['with texts in a vector', [one(vector), one(['a', 'b'], 1)]],
    ['with null in a vector', [one(vector), one([1, null], 1)]],
    ['with a number beyond 32 bits', [one(vector), one([1, 1e39], 1)]],
    ['with broken base64', [one(vector), one('????', 1)]],
    ['with base64 of half a number', [one(vector), one('AAA=', 1)]],
    ['with base64 of what is no number', [one(vector), one('AADAfw==', 1)]],
    ['that is an object', { 0: one(vector) }],
    ['that is null', null],
  ])('%s', async (_, data) => {
    const started = await startEmbeddings({ plans: [{ data: () => data }, {}] });
    const body = bodyOf(await started.embed({ input: ['a', 'b'] }));
    expect(vectorsIn(body)).toEqual([vectorOfInput('a'), vectorOfInput('b')]);
    const { provider_responses } = await recordIn(started, body);
    expect(provider_responses).toMatchObject([{ error: 'malformed' }, { status: 200 }]);
  });

  it('and where there is none left, it is 502, never 200', async () => {
    const { embed } = await startEmbeddings({ plans: [{ data: () => [] }] });
    const answer = await embed();
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      502,
      { type: 'server_error', param: null, metadata: { reason: 'upstream_failed' } },
    ]);
  });
});

it('vectors that come in another order are put in that of the inputs, and those without an index stand where they are', async () => {
  const { embed } = await startEmbeddings({ plans: [{ data: (all) => all.toReversed() }] });
  expect(vectorsIn(bodyOf(await embed({ input: TEXTS })))).toEqual(TEXTS.map((text) => vectorOfInput(text)));
  const bare = await startEmbeddings({
    plans: [{ data: (all) => all.map(({ embedding }) => ({ embedding })) }],
  });
  expect(vectorsIn(bodyOf(await bare.embed({ input: TEXTS })))).toEqual(
    TEXTS.map((text) => vectorOfInput(text)),
  );
});

describe('what is refused before anything is sent', () => {
  it.each<[string, object, string, string]>([
    ['no input', { input: undefined }, 'input', 'required'],
    ['null', { input: null }, 'input', 'required'],
    ['an empty text', { input: '' }, 'input', 'length'],
    ['an empty list', { input: [] }, 'input', 'count'],
    ['an empty text in a list', { input: ['a', ''] }, 'input[1]', 'length'],
    ['an empty list of tokens', { input: [[]] }, 'input[0]', 'count'],
    ['texts and tokens in one list', { input: ['a', 1] }, 'input', 'type'],
    ['texts and lists in one list', { input: ['a', [1]] }, 'input', 'type'],
    ['a token that is no whole number', { input: [1.5] }, 'input[0]', 'type'],
    ['a negative token', { input: [-1] }, 'input[0]', 'range'],
    ['a number', { input: 1 }, 'input', 'type'],
    ['2,049 inputs', { input: Array.from({ length: 2049 }, () => 'a') }, 'input', 'count'],
    ['300,001 tokens', { input: Array.from({ length: 300_001 }, () => 1) }, 'input', 'count'],
    ['another encoding', { encoding_format: 'int8' }, 'encoding_format', 'enum'],
    ['no dimensions', { dimensions: 0 }, 'dimensions', 'range'],
    ['another model beside', { models: ['test/tokens'] }, 'models[0]', 'one_model'],
    ['a model of chats', { model: 'test/tokens' }, 'model', 'unsupported'],
  ])('%s', async (_, members, field, rule) => {
    const { embed, hosts } = await startEmbeddings();
    const answer = await embed(members);
    const { type, param, metadata } = bodyOf(answer).error as Row & { metadata: { violations: Row[] } };
    expect([answer.status, type, param, metadata.violations]).toEqual([
      400,
      'invalid_request_error',
      field,
      [{ field, rule, message: expect.any(String) }],
    ]);
    expect(hosts[0]?.calls).toEqual([]);
  });

  it('a chat to a model that makes embeddings, which names what it takes', async () => {
    const { gateway } = await startEmbeddings();
    const answer = await gateway.chat(MODEL);
    expect(answer.status).toBe(404);
    expect(bodyOf(answer).error).toMatchObject({
      message: expect.stringContaining('its own API (embeddings)') as string,
    });
  });
});

describe('tokens', () => {
  // "hello world" and "Grüezi" in cl100k_base.
  const TOKENS = [
    [15339, 1917],
    [6600, 2448, 68, 8510],
  ];

  it('go as they are to models of OpenAI', async () => {
    const { embed, hosts } = await startEmbeddings({ model: 'openai/embed' });
    await embed({ input: TOKENS });
    expect(hosts[0]?.calls[0]?.body.input).toEqual(TOKENS);
  });

  it('are the texts that they stand for elsewhere, also where they are one input', async () => {
    const { embed, hosts } = await startEmbeddings({ plans: [{ takesTokens: false }] });
    const vectors = vectorsIn(bodyOf(await embed({ input: TOKENS })));
    expect(vectors).toEqual([vectorOfInput('hello world'), vectorOfInput('Grüezi')]);
    await embed({ input: TOKENS[0] });
    expect(hosts[0]?.calls[1]?.body.input).toEqual(['hello world']);
  });

  it('that are none are 400, which says what to do', async () => {
    const { embed, hosts } = await startEmbeddings();
    const answer = await embed({ input: [[15339, 4_000_000_000]] });
    expect([answer.status, (bodyOf(answer).error as Row).message]).toEqual([
      400,
      expect.stringContaining('check_embedding_ctx_length=False'),
    ]);
    expect(hosts[0]?.calls).toEqual([]);
  });

  it('as many as 300,000 are taken at once', async () => {
    const { embed } = await startEmbeddings({ model: 'openai/embed' });
    const tokens = Array.from({ length: 3_000 }, (_, at) => at);
    const answer = await embed({ input: Array.from({ length: 100 }, () => tokens) });
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  });
});

it('parts of texts alone are one text', async () => {
  const { embed, hosts } = await startEmbeddings();
  const content = [
    { type: 'text', text: 'Hello ' },
    { type: 'text', text: 'world' },
  ];
  await embed({ input: [{ content }] });
  expect(hosts[0]?.calls[0]?.body.input).toEqual(['Hello world']);
});

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

it.each(['openai', 'alibaba', 'fireworks', 'mistral', 'nvidia'])(
  'an image is not sent to %s, which embeds texts alone',
  async (slug) => {
    const { embed, hosts } = await startEmbeddings({ slug });
    const answer = await embed({ input: [{ content: [IMAGE] }] });
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      400,
      { param: 'input[0].content', metadata: { reason: 'invalid_request' } },
    ]);
    expect(hosts[0]?.calls).toEqual([]);
  },
);

it('an image is for a host to judge of which nothing is known', async () => {
  const { embed, hosts } = await startEmbeddings({ capacity: 'BYOK keys' });
  await embed({ input: [{ content: [IMAGE] }] });
  expect(hosts[0]?.calls[0]?.body.input).toEqual([{ content: [IMAGE] }]);
});

it('a limit of every provider is told without the advice to name other models', async () => {
  const { embed } = await startEmbeddings({ plans: [{ status: () => 429 }] });
  const limited = await embed();
  expect([limited.status, (bodyOf(limited).error as Row).message]).toEqual([
    429,
    'Every provider that could serve this request is rate limiting it: send it again later',
  ]);
});

it.each([
  [[{ type: 'text', text: '' }], 'input[1].content'],
  [[{ text: '' }, { type: 'text', text: '' }], 'input[1].content'],
  [[{ type: 'text' }], 'input[1].content[0].text'],
  [[{}], 'input[1].content[0].text'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 5 },
    ],
    'input[1].content[1].text',
  ],
])('parts that say nothing are 400, as empty texts are: %j', async (content, field) => {
  const { embed, hosts } = await startEmbeddings();
  const answer = await embed({ input: [{ content: [{ type: 'text', text: 'a' }] }, { content }] });
  expect([answer.status, bodyOf(answer).error]).toMatchObject([400, { param: field }]);
  expect(hosts[0]?.calls).toEqual([]);
});
