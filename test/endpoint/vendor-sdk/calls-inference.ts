/** A call of each method for requests to models, and what its parsed answer must have. */
import { expect } from 'vitest';
import { type Call, firstOf } from './call.js';
import { EMBEDDING_MODEL, MODEL, RERANK_MODEL, type SdkWorld } from './world.js';

const messages = [{ role: 'user' as const, content: 'Hello' }];
const chatRequest = { model: MODEL, messages };
const responsesRequest = { model: MODEL, input: 'Hello' };
const [author, slug] = ['test', 'm'];

/** Whatever is asked, the demo provider says it again. */
const SAID = expect.stringContaining('Hello');

/** The SDK types its answers as either, whatever was asked for. */
async function chat({ use }: SdkWorld) {
  const answer = await use.chat.send({ chatRequest });
  if (!('choices' in answer)) throw new Error('not an answer in one piece');
  return answer;
}

async function chatStream({ use }: SdkWorld) {
  const answer = await use.chat.send({ chatRequest: { ...chatRequest, stream: true } });
  if ('choices' in answer) throw new Error('not a stream');
  return answer;
}

async function responseStream({ use }: SdkWorld) {
  const answer = await use.responses.send({ responsesRequest: { ...responsesRequest, stream: true } });
  if ('output' in answer) throw new Error('not a stream');
  return answer;
}

export const INFERENCE_CALLS = {
  'chat.send': [
    async (world) => {
      const whole = await chat(world);
      let streamed = '';
      let counted = 0;
      for await (const { choices, usage } of await chatStream(world)) {
        streamed += choices[0]?.delta.content ?? '';
        counted += usage?.completionTokens ?? 0;
      }
      return { said: whole.choices[0]?.message.content, usage: whole.usage, streamed, counted };
    },
    {
      said: SAID,
      streamed: SAID,
      usage: { promptTokens: expect.any(Number), cost: expect.any(Number) },
      counted: expect.any(Number),
    },
  ],
  'responses.send': [
    async (world) => {
      const whole = await world.use.responses.send({ responsesRequest });
      const types: string[] = [];
      for await (const { type } of await responseStream(world)) types.push(type);
      return { whole, first: types[0], last: types.at(-1) };
    },
    {
      whole: {
        output: [{ content: [{ text: SAID }] }],
        usage: {
          cost: expect.any(Number),
          costDetails: {
            upstreamInferenceInputCost: expect.any(Number),
            upstreamInferenceOutputCost: expect.any(Number),
          },
        },
      },
      first: 'response.created',
      last: 'response.completed',
    },
  ],
  'beta.responses.send': [
    ({ use }) => use.beta.responses.send({ responsesRequest }),
    { model: MODEL, status: 'completed' },
  ],
  callModel: [
    async ({ use }) => ({ text: await use.callModel({ model: MODEL, input: 'Hello' }).getText() }),
    { text: SAID },
  ],
  'generations.getGeneration': [
    async (world) => world.use.generations.getGeneration({ id: (await chat(world)).id }),
    {
      data: {
        model: MODEL,
        apiType: 'completions',
        nativeTokensPrompt: expect.any(Number),
        totalCost: expect.any(Number),
        providerResponses: [{ status: 200 }],
      },
    },
  ],
  'analytics.getUserActivity': [
    async (world) => {
      await chat(world);
      const today = new Date().toISOString().slice(0, 10);
      const { data } = await world.manage.analytics.getUserActivity({ date: today });
      return { row: data.find(({ model }) => model === MODEL) };
    },
    {
      row: {
        modelPermaslug: MODEL,
        providerName: expect.stringMatching(/^Provider /),
        byokUsageInference: 0,
      },
    },
  ],
  'credits.getCredits': [
    ({ manage }) => manage.credits.getCredits(),
    { data: { totalCredits: 10, totalUsage: expect.any(Number) } },
  ],
  'models.get': [
    ({ use }) => use.models.get({ author, slug }),
    {
      data: {
        id: MODEL,
        huggingFaceId: 'hub/m',
        benchmarks: { designArena: [{ elo: 1200.5 }], artificialAnalysis: { codingIndex: null } },
      },
    },
  ],
  'models.list': [
    async ({ use }) => firstOf(await use.models.list({ outputModalities: 'text', limit: 1000 })),
    { data: expect.arrayContaining([expect.objectContaining({ id: 'test/plain' })]) },
  ],
  'models.listForUser': [
    async ({ gateway, use }) => firstOf(await use.models.listForUser({ bearer: gateway.apiKey })),
    { data: expect.arrayContaining([expect.objectContaining({ id: MODEL })]) },
  ],
  'models.count': [({ use }) => use.models.count({ outputModalities: 'text' }), { data: { count: 3 } }],
  'embeddings.generate': [
    async ({ use }) => {
      const input = ['Hello', 'Hello again'];
      const asked = (encodingFormat: 'float' | 'base64') =>
        use.embeddings.generate({ requestBody: { model: EMBEDDING_MODEL, input, encodingFormat } });
      return { numbers: await asked('float'), texts: await asked('base64') };
    },
    {
      numbers: {
        data: [{ index: 0, embedding: expect.arrayContaining([expect.any(Number)]) }, { index: 1 }],
        usage: { promptTokens: 3, totalTokens: 3, cost: expect.any(Number) },
      },
      texts: { data: [{ embedding: expect.any(String) }, { embedding: expect.any(String) }] },
    },
  ],
  'rerank.rerank': [
    ({ use }) =>
      use.rerank.rerank({
        requestBody: { model: RERANK_MODEL, query: 'hello', documents: ['nothing', 'Hello there'], topN: 1 },
      }),
    {
      results: [{ index: 1, relevanceScore: expect.any(Number), document: { text: 'Hello there' } }],
      usage: { cost: expect.any(Number) },
    },
  ],
  'embeddings.listModels': [
    async ({ use }) => firstOf(await use.embeddings.listModels()),
    { data: [{ id: EMBEDDING_MODEL }] },
  ],
  'endpoints.list': [
    async (world) => {
      await chat(world);
      return {
        whole: await world.use.endpoints.list({ author, slug }),
        plain: await world.use.endpoints.list({ author: 'test', slug: 'plain' }),
      };
    },
    {
      whole: {
        data: {
          id: MODEL,
          endpoints: expect.arrayContaining([
            expect.objectContaining({ status: 0, uptimeLast30m: 100, tag: expect.any(String) }),
          ]),
        },
      },
      plain: { data: { description: '', endpoints: [{ contextLength: 0, uptimeLast1d: null }] } },
    },
  ],
  'endpoints.listZdrEndpoints': [
    ({ use }) => use.endpoints.listZdrEndpoints(),
    { data: expect.arrayContaining([expect.objectContaining({ modelId: MODEL })]) },
  ],
  'providers.list': [({ use }) => use.providers.list(), { data: [{ slug: 'demo' }, { slug: 'openai' }] }],
} as const satisfies Record<string, Call>;
