/** Answers in forms of which OpenRouter's SDK, and OpenAI's types, know another one, so that an unmended one is lost as a whole. */
import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { launchGateway } from '../../support/gateway.js';
import { caller, type Row, recordOf } from '../../support/rest.js';

const URL_CITATION = { url: 'https://a.example', title: '', start_index: 0, end_index: 0 };
const CITED = [{ type: 'url_citation', url_citation: URL_CITATION }];
const HI = { token: 'Hi', logprob: -0.1 };

/** What a host says of a message; what clients have of it. Members that they do not have are undefined. */
const MESSAGES: readonly [of: string, said: object, told: Row][] = [
  [
    // https://github.com/pydantic/pydantic-ai/issues/3657
    'pages without a title or a place',
    { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }] },
    { annotations: CITED },
  ],
  [
    'pages whose place is no number',
    { annotations: [{ type: 'url_citation', url_citation: { ...URL_CITATION, start_index: null } }] },
    { annotations: CITED },
  ],
  [
    'pages beside their type',
    { annotations: [{ type: 'url_citation', url: 'https://a.example', title: '' }] },
    { annotations: CITED },
  ],
  [
    'pages without an address, and what is no annotation',
    { annotations: [{ type: 'url_citation', url_citation: { title: 'A' } }, 'https://a.example', null] },
    { annotations: [] },
  ],
  [
    'files that were read',
    { annotations: [{ type: 'file', file: { hash: 'h' } }] },
    { annotations: [{ type: 'file', file: { hash: 'h' } }] },
  ],
  ['annotations that are no list', { annotations: 'https://a.example' }, { annotations: undefined }],
  ['details of reasoning that are no list', { reasoning_details: 'Hm' }, { reasoning_details: undefined }],
  [
    'details of reasoning that are no objects',
    { reasoning_details: ['Hm', { type: 'reasoning.text', text: 'Hm' }] },
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] },
  ],
  ['images that are no objects', { images: ['https://a.example/1.png'] }, { images: [] }],
  ['audio that is none', { audio: 'UklGRg==' }, { audio: undefined }],
];

/** What a host says of the probabilities of tokens, and what clients have of it. */
const LOGPROBS: readonly [of: string, said: unknown, told: object | null][] = [
  [
    'OpenAI',
    { content: [{ ...HI, bytes: [72, 105], top_logprobs: [{ ...HI, bytes: [72, 105] }] }], refusal: null },
    { content: [{ ...HI, bytes: [72, 105], top_logprobs: [{ ...HI, bytes: [72, 105] }] }], refusal: null },
  ],
  [
    'a host that leaves out what it does not know',
    { content: [{ ...HI, top_logprobs: [HI] }, HI] },
    {
      content: [
        { ...HI, bytes: null, top_logprobs: [{ ...HI, bytes: null }] },
        { ...HI, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    },
  ],
  [
    // https://github.com/xorbitsai/inference/pull/5252
    'a host that does not know the probability of each',
    {
      content: [
        { token: 'Oh', logprob: null },
        { ...HI, bytes: null, top_logprobs: null },
      ],
    },
    { content: [{ ...HI, bytes: null, top_logprobs: [] }], refusal: null },
  ],
  [
    // https://github.com/OpenRouterTeam/ai-sdk-provider/issues/41, https://github.com/vllm-project/vllm/issues/3179
    'a host that lists them as for text completions',
    {
      text_offset: [0, 2],
      tokens: ['Hi', '!'],
      token_logprobs: [-0.1, null],
      top_logprobs: [{ Hi: -0.1, Ho: -2 }, null],
    },
    {
      content: [
        {
          ...HI,
          bytes: null,
          top_logprobs: [
            { ...HI, bytes: null },
            { token: 'Ho', logprob: -2, bytes: null },
          ],
        },
      ],
      refusal: null,
    },
  ],
  ['a host that has none', {}, null],
  ['a host that has none in a list', [], null],
  ['a host that says so', { content: null, refusal: null }, null],
];

const CHAT = { model: 'test/host', messages: [{ role: 'user' as const, content: 'Hello' }] };

let fake: FakeOpenAi;
let stopFake = async () => {};
let gateway: Awaited<ReturnType<typeof launchGateway>>;
let sdk: OpenRouter;
/** The body of the last answer that the SDK has had. */
let text = '';

beforeAll(async () => {
  fake = await startFakeOpenAi((end) => {
    stopFake = end;
  });
  gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: fake.baseUrl }],
      models: [demoModel('test/host', [{ provider: 'host', upstream_model_id: 'm' }])],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'host', key: FAKE_API_KEY }));
  const httpClient = new HTTPClient({
    async fetcher(input, init) {
      const answer = await fetch(input, init);
      text = await answer.text();
      return new Response(text, answer);
    },
  });
  const { rest: serverURL, apiKey } = gateway;
  sdk = new OpenRouter({ serverURL, apiKey, httpClient, retryConfig: { strategy: 'none' } });
});
afterAll(async () => {
  await gateway.stop();
  await stopFake();
});

/** The first choice of the answer that the SDK has parsed, as it was sent; of a stream the choice of its first chunk. */
async function sent(choice: object, stream: boolean): Promise<Row> {
  const finish_reason = 'stop';
  if (stream) {
    const end = { index: 0, delta: {}, finish_reason };
    fake.plan('m', { chunks: [{ choices: [choice] }, { choices: [end] }] });
  } else {
    fake.plan('m', { answer: { choices: [{ ...choice, finish_reason }] } });
  }
  const answer = await sdk.chat.send({ chatRequest: { ...CHAT, stream } });
  if (!('choices' in answer)) for await (const chunk of answer) expect(chunk.error).toBeUndefined();
  const first = stream ? text.slice('data: '.length, text.indexOf('\n')) : text;
  return (JSON.parse(first) as { choices: [Row] }).choices[0];
}

/** How the SDK has the error of a stream that breaks so after its first content. */
async function brokenBy(plan: FakePlan) {
  const first = { choices: [{ index: 0, delta: { content: 'Hi' } }] };
  fake.plan('m', { ...plan, chunks: [first, ...(plan.chunks ?? [])] });
  const answer = await sdk.chat.send({ chatRequest: { ...CHAT, stream: true } });
  if ('choices' in answer) throw new Error('not a stream');
  const errors = [];
  for await (const { error } of answer) if (error !== undefined) errors.push(error);
  return errors;
}

describe('a stream that breaks', () => {
  it.each([
    ['an error with words of its own', { error: { message: 'Busy', type: 'server_error', code: 'busy' } }],
    ['an error about the account', { error: { message: 'No', type: 'insufficient_quota', code: '402' } }],
    ['an error about the request', { error: { message: 'No', type: 'invalid_request_error', code: 400 } }],
    ['an error about the rate', { error: { message: 'No', type: 'rate_limit_exceeded', code: 429 } }],
  ])('ends with a chunk that clients parse, where its host sends %s', async (_, chunk) => {
    expect(await brokenBy({ chunks: [chunk] })).toEqual([
      expect.objectContaining({ code: 502, metadata: { errorType: 'provider_unavailable' } }),
    ]);
  });

  it.each([
    ['cuts it', { isDoneMissing: true }],
    ['sends an error of a message alone', { chunks: [{ error: { message: 'No' } }] }],
  ])('ends with a chunk that clients parse, where its host %s', async (_, plan) => {
    expect(await brokenBy(plan)).toMatchObject([{ code: 502 }]);
  });
});

describe.each([
  ['in one piece', false, 'message'],
  ['streamed', true, 'delta'],
] as const)('an answer %s', (_, stream, member) => {
  it.each(MESSAGES)('is parsed by clients, with %s', async (_of, said, told) => {
    const choice = await sent({ index: 0, [member]: { role: 'assistant', content: 'Hi', ...said } }, stream);
    const message = choice[member] as Row;
    for (const [name, value] of Object.entries(told)) expect(message[name]).toEqual(value);
  });

  it.each(LOGPROBS)('is parsed by clients, with the probabilities of %s', async (_of, logprobs, told) => {
    const message = { role: 'assistant', content: 'Hi' };
    expect((await sent({ index: 0, [member]: message, logprobs }, stream)).logprobs).toEqual(told);
  });
});
