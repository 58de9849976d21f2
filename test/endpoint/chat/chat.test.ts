import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, type Call, caller, type Row, refusalOf, refused } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;

const SCRIPTS = [
  'status-429',
  'status-400',
  'status-500',
  'content-filter',
  'reset',
  'break',
  'truncate',
  'tools',
  'reasoner',
];
const script = (upstream_model_id: string, provider = 'a') => ({ provider, upstream_model_id });

const CATALOG = {
  providers: [
    ...['a', 'b', 'c'].map((slug) => demoProvider(slug)),
    demoProvider('keeps', { data_policy: { zdr: false, data_collection: true } }),
    { slug: 'keyless', name: 'Keyless', adapter: 'openai' },
  ],
  models: [
    demoModel('test/echo', ['a', 'b']),
    ...SCRIPTS.map((name) => demoModel(`test/${name}`, [script(name)])),
    demoModel('test/limited', [script('status-429')]),
    demoModel('test/second', [script('status-500'), script('status-429', 'b'), script('echo', 'c')]),
    demoModel('test/filtered', [script('content-filter'), script('echo', 'b')]),
    demoModel('test/keeps', ['keeps']),
    demoModel('test/keyless', ['keyless']),
    { id: '~test/latest', name: 'Latest', alias_target: { slug: 'test/echo' } },
  ],
};

beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const chat = (body: object) =>
  use('POST', '/chat/completions', { model: 'test/echo', messages: MESSAGES, ...body });

/** The JSON of each event, and whether `[DONE]` was the last one. */
function eventsOf({ text }: Answer): { chunks: Row[]; done: boolean } {
  const lines = text.split('\n\n').filter((line) => line !== '');
  const datas = lines.map((line) => line.replace(/^data: /, ''));
  const done = datas.at(-1) === '[DONE]';
  return { chunks: (done ? datas.slice(0, -1) : datas).map((data) => JSON.parse(data) as Row), done };
}

describe('an answer in one piece', () => {
  it('has the members of a chat completion', async () => {
    const answer = await chat({});
    expect([answer.status, bodyOf(answer)]).toEqual([
      200,
      {
        id: answer.headers['x-generation-id'],
        object: 'chat.completion',
        created: expect.any(Number),
        model: 'test/echo',
        provider: 'a',
        system_fingerprint: null,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: expect.stringContaining('Hello there'), refusal: null },
            finish_reason: 'stop',
            native_finish_reason: 'stop',
            logprobs: null,
          },
        ],
        usage: {
          prompt_tokens: 2,
          completion_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
          prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
          cost: expect.any(Number),
          is_byok: false,
          cost_details: {
            upstream_inference_cost: null,
            upstream_inference_prompt_cost: expect.any(Number),
            upstream_inference_completions_cost: expect.any(Number),
          },
        },
      },
    ]);
  });

  it('model is the id of the serving model: for an alias its target', async () => {
    expect(bodyOf(await chat({ model: '~test/latest' })).model).toBe('test/echo');
  });

  it('models falls back from one to the next', async () => {
    expect(bodyOf(await chat({ model: 'test/status-500', models: ['test/echo'] })).model).toBe('test/echo');
    expect(bodyOf(await chat({ model: undefined, models: ['test/echo'] })).model).toBe('test/echo');
  });

  it('unknown members pass through', async () => {
    expect((await chat({ some_vendor_option: { deep: [1, 'two', null] }, stop: ['xx'], n: 1 })).status).toBe(
      200,
    );
  });

  it('tools, reasoning and max_tokens have their counterparts in the answer', async () => {
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }];
    const called = bodyOf(await chat({ model: 'test/tools', tools })).choices as Row[];
    expect(called).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'look_up' } }] } },
    ]);
    const thought = bodyOf(await chat({ model: 'test/reasoner' })).choices as Row[];
    expect(thought).toMatchObject([{ message: { reasoning: expect.any(String) } }]);
    expect(bodyOf(await chat({ max_tokens: 2 })).choices).toMatchObject([{ finish_reason: 'length' }]);
  });
});

describe('a streamed answer', () => {
  it('is events that end with the usage in a chunk without choices, then [DONE]', async () => {
    const answer = await chat({ stream: true });
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const { chunks, done } = eventsOf(answer);
    expect(done).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 2, is_byok: false } });
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: answer.headers['x-generation-id'],
        object: 'chat.completion.chunk',
        model: 'test/echo',
        provider: 'a',
      });
    }
    const deltas = chunks.flatMap(({ choices }) => choices as { delta: { content?: string } }[]);
    const whole = bodyOf(await chat({})).choices as { message: { content: string } }[];
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(whole[0]?.message.content);
  });

  it('that cannot begin is an ordinary error', async () => {
    for (const [model, status] of [
      ['test/status-429', 429],
      ['test/status-500', 502],
      ['test/content-filter', 400],
      ['test/nothing', 400],
    ] as const) {
      const answer = await chat({ model, stream: true });
      expect([model, refusalOf(answer)[0], answer.headers['content-type']]).toEqual([
        model,
        status,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it.each(['test/break', 'test/truncate'])(
    'that breaks ends with an error chunk and no [DONE]: %s',
    async (model) => {
      const { chunks, done } = eventsOf(await chat({ model, stream: true }));
      expect(done).toBe(false);
      expect(chunks.at(-1)).toMatchObject({
        choices: [{ finish_reason: 'error' }],
        error: { code: 502, message: expect.any(String) },
      });
    },
  );
});

describe('failures of providers', () => {
  it('move on to the next attempt, and the answer names the provider that served', async () => {
    const answer = await chat({ model: 'test/second', provider: { order: ['a', 'b', 'c'] } });
    expect(bodyOf(answer)).toMatchObject({ provider: 'c' });
    const { data } = bodyOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
    expect((data as Row).provider_responses).toMatchObject([
      { provider: 'a', status: 500 },
      { provider: 'b', status: 429 },
      { provider: 'c', status: 200, error: null },
    ]);
  });

  it.each([
    ['test/limited', 429, 'upstream_rate_limited', 429],
    ['test/status-400', 400, 'context_length_exceeded', 400],
    ['test/status-500', 502, 'upstream_failed', 500],
    ['test/reset', 502, 'upstream_failed', null],
    ['test/truncate', 502, 'upstream_failed', 200],
    ['test/content-filter', 400, 'content_filter', 400],
  ])('%s alone: %d %s, with every attempt listed', async (model, status, reason, upstreamStatus) => {
    const answer = await chat({ model });
    expect(refusalOf(answer)).toEqual([status, reason]);
    const { metadata } = bodyOf(answer).error as { metadata: Row };
    expect(metadata.provider_responses).toMatchObject([
      { provider: 'a', status: upstreamStatus, is_byok: false },
    ]);
    if (status === 429) expect(answer.headers['retry-after']).toBe('2');
  });

  it("a 400 carries the provider's message", async () => {
    expect((bodyOf(await chat({ model: 'test/status-400' })).error as Row).message).toContain(
      'maximum context length',
    );
  });

  it('a content filter ends the plan: no other provider is called', async () => {
    expect(refusalOf(await chat({ model: 'test/filtered', provider: { order: ['a', 'b'] } }))).toEqual([
      400,
      'content_filter',
    ]);
  });
});

describe('what is refused before anything is sent', () => {
  it.each<[object, ...string[]]>([
    [{ model: undefined }, 'model required'],
    [{ messages: undefined }, 'messages count'],
    [{ messages: [] }, 'messages count'],
    [{ model: undefined, messages: [] }, 'messages count', 'model required'],
    [{ messages: [{ content: 'x' }] }, 'messages[0].role required'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role enum'],
    [{ messages: 'Hello' }, 'messages type'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content type'],
    [{ temperature: 3 }, 'temperature range'],
    [{ top_p: -0.1 }, 'top_p range'],
    [{ max_tokens: 0 }, 'max_tokens range'],
    [{ max_tokens: 1.5 }, 'max_tokens type'],
    [{ stream: 'yes' }, 'stream type'],
    [{ provider: { odrer: ['a'] } }, 'provider.odrer unknown'],
    [{ provider: { max_price: { promt: 1 } } }, 'provider.max_price.promt unknown'],
    [{ provider: { timeouts_ms: { idle: 0 } } }, 'provider.timeouts_ms.idle range'],
    [{ provider: { allow_fallbacks: 'no' } }, 'provider.allow_fallbacks type'],
    [{ provider: [] }, 'provider type'],
    [{ stop: 5 }, 'stop type'],
  ])('%j', async (members, ...violations) => {
    const answer = await refused(gateway, () => chat(members));
    expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([[400, 'invalid_request'], violations]);
  });

  it('an unknown model: 400 with the nearest ids', async () => {
    expect(await refused(gateway, () => chat({ model: 'test/ecko' }))).toEqual([
      400,
      'unknown_model',
      'model known',
    ]);
    expect((await chat({ model: 'test/ecko' })).text).toContain('test/echo');
  });

  it.each([
    ['zdr', 'data_policy_zdr', { zdr: true }],
    ['data_collection', 'data_policy_collection', { data_collection: 'deny' }],
  ])('no compliant endpoint for %s: 404 with the reasons counted', async (_, reason, provider) => {
    const call = () => chat({ model: 'test/keeps', provider });
    expect(await refused(gateway, call)).toEqual([404, 'no_endpoint']);
    const { metadata } = bodyOf(await call()).error as { metadata: Row };
    expect(metadata.reasons).toEqual({ [reason]: 1 });
    expect((await chat({ model: 'test/keeps' })).status).toBe(200);
  });

  it('no shared credential and no key: 404', async () => {
    expect(await refused(gateway, () => chat({ model: 'test/keyless' }))).toEqual([404, 'no_endpoint']);
  });

  it('and the message says what to do, in the words of each API, with the address of the dashboard', async () => {
    const wanted = new RegExp(
      `^No key for .+ is stored in workspace Default: add one \\(${gateway.url}/#/provider-keys, or POST /byok\\)$`,
    );
    const asked = { model: 'test/keyless', max_tokens: 5, messages: MESSAGES };
    for (const path of ['/chat/completions', '/messages']) {
      const { error } = bodyOf(await use('POST', path, asked)) as { error: Row };
      expect(error.message).toMatch(wanted);
    }
  });

  it('no credits: 402 where only they are missing for an attempt', async () => {
    const poor = caller(gateway, (await gateway.addAccount({ credits: 0n })).apiKey);
    const call = () => poor('POST', '/chat/completions', { model: 'test/echo', messages: MESSAGES });
    expect(await refused(gateway, call)).toEqual([402, 'insufficient_credits']);
  });
});

it('an answer has no header of a provider, and no internal one', async () => {
  const known = ['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive'];
  const ours = [
    'transfer-encoding',
    'x-accel-buffering',
    'x-content-type-options',
    'x-frame-options',
    'x-generation-id',
    'x-request-id',
  ];
  for (const stream of [false, true]) {
    const { headers } = await chat({ stream });
    expect(Object.keys(headers).filter((name) => ![...known, ...ours].includes(name))).toEqual([]);
  }
});
