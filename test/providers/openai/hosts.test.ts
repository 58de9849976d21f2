import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { openAi } from '../../../src/providers/openai/index.js';
import { demoModel } from '../../support/catalog.js';
import { type FakeHostName, startFakeHost } from '../../support/fakes/fake-openai/hosts.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { type Answer, caller, recordOf } from '../../support/rest.js';

const messages = [{ role: 'user', content: 'Hello there' }];
const SUPPORTED = ['max_tokens', 'max_completion_tokens', 'verbosity', 'reasoning', 'reasoning_effort'];

interface Host {
  /** The provider's slug, by which a fake of a known host is known. */
  readonly slug: string;
  readonly quirks?: object;
  readonly endpointQuirks?: object;
  readonly model?: string;
  readonly record?: object;
}

/** A gateway in front of the host, with one model there. */
async function start({ slug, quirks, endpointQuirks, model = 'vendor/m', record = {} }: Host) {
  const isOpenAi = slug === 'openai' || !FAKED.has(slug);
  const fake = isOpenAi ? await startFakeOpenAi() : await startFakeHost(slug as FakeHostName);
  const http = createHttp();
  onTestFinished(() => http.close());
  const upstream_model_id = model.slice(model.indexOf('/') + 1);
  const gateway = await startGateway({
    adapters: new Map([
      ['openai', createAdapter(openAi({ http, inlineMedia: async (body) => body }), systemClock)],
    ]),
    catalog: {
      providers: [
        { slug, name: 'Host', adapter: 'openai', base_url: fake.baseUrl, ...(quirks && { quirks }) },
      ],
      models: [
        demoModel(
          model,
          [{ provider: slug, upstream_model_id, ...(endpointQuirks && { quirks: endpointQuirks }) }],
          { supported_parameters: SUPPORTED, ...record },
        ),
      ],
    },
  });
  await caller(gateway, gateway.managementKey)('POST', '/byok', { provider: slug, key: FAKE_API_KEY });
  const use = caller(gateway, gateway.apiKey);
  return {
    fake,
    chat: (more: object) => use('POST', '/chat/completions', { model, messages, ...more }),
    record: async ({ headers }: Answer) =>
      recordOf(await use('GET', `/generation?id=${headers['x-generation-id']}`)),
    /** The body that the host got for these members, which it took. */
    sent: async (more: object) => {
      const { status, text } = await use('POST', '/chat/completions', { model, messages, ...more });
      expect([status, text]).toEqual([200, expect.anything()]);
      const { model: _, ...body } = fake.requests.at(-1)?.body ?? {};
      return body;
    },
  };
}

const FAKED = new Set<string>(['deepseek', 'mistral', 'groq', 'fireworks'] satisfies FakeHostName[]);

const NEWER = { max_completion_tokens: 50 };
const OLDER = { max_tokens: 50 };

describe('F1: a limit of tokens in either spelling reaches the host in its own', () => {
  it.each([
    ['openai', 'openai/gpt-5', NEWER],
    ['openai', 'openai/gpt-4o', NEWER],
    ['mistral', 'vendor/m', OLDER],
    ['deepseek', 'vendor/m', OLDER],
    ['groq', 'vendor/m', NEWER],
    ['an-own-server', 'vendor/m', OLDER],
  ])('%s with %s', async (slug, model, expected) => {
    const { sent } = await start({ slug, model });
    for (const limit of [OLDER, NEWER]) expect(await sent(limit)).toEqual({ messages, ...expected });
    expect(await sent({ max_tokens: 7, ...NEWER })).toEqual({ messages, ...expected });
  });

  it('which the catalogue may say otherwise, by provider and by endpoint', async () => {
    const quirks = { max_tokens_member: 'max_completion_tokens' };
    expect(await (await start({ slug: 'own', quirks })).sent(OLDER)).toEqual({ messages, ...NEWER });
    const endpointQuirks = { max_tokens_member: 'max_tokens' };
    const overridden = await start({ slug: 'own', quirks, endpointQuirks });
    expect(await overridden.sent(NEWER)).toEqual({ messages, ...OLDER });
  });
});

describe('F1: an own server that advertises one spelling of the limit alone', () => {
  it.each([
    [['max_completion_tokens', 'tools'], NEWER],
    [['max_tokens'], OLDER],
    [['max_tokens', 'max_completion_tokens'], OLDER],
    [['tools'], OLDER],
  ])('%j is sent that one', async (supported_parameters, expected) => {
    const { sent } = await start({ slug: 'own', record: { supported_parameters } });
    for (const limit of [OLDER, NEWER]) expect(await sent(limit)).toEqual({ messages, ...expected });
  });
});

describe('a contract in the catalogue', () => {
  it('makes chats fit an own server', async () => {
    const quirks = { contract: { refused_members: ['seed'], system: 'one' } };
    const told = [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
    ];
    const own = await start({ slug: 'own', quirks });
    expect(await own.sent({ seed: 1, messages: [...told, ...messages] })).toEqual({
      messages: [{ role: 'system', content: 'Be brief.\n\nBe kind.' }, ...messages],
    });
  });
});

describe('F13: the role developer is sent where the host is known to take it, and is system elsewhere', () => {
  const told = [{ role: 'developer', content: 'Be brief' }, ...messages];

  it.each([
    ['openai', {}, 'developer'],
    ['deepseek', {}, 'system'],
    ['mistral', {}, 'system'],
    ['an-own-server', {}, 'system'],
    ['an-own-server', { developer_role: true }, 'developer'],
  ])('%s with quirks %j: %s', async (slug, quirks, role) => {
    const { sent } = await start({ slug, quirks });
    expect(await sent({ messages: told })).toEqual({ messages: [{ ...told[0], role }, ...messages] });
  });
});

describe('F12: an effort is never silently dropped', () => {
  it('a model without a record of its reasoning gets it', async () => {
    const { sent } = await start({ slug: 'own', record: { supported_parameters: ['max_tokens'] } });
    expect(await sent({ reasoning_effort: 'high' })).toEqual({ messages, reasoning_effort: 'high' });
  });

  it('also in the other spelling, where its endpoint advertises reasoning', async () => {
    const { sent } = await start({ slug: 'own' });
    expect(await sent({ reasoning: { effort: 'low' } })).toEqual({ messages, reasoning_effort: 'low' });
  });

  describe('of a model without a record whose endpoint advertises nothing', () => {
    const record = { supported_parameters: ['max_tokens'] };

    it.each([
      [{ reasoning: { effort: 'low' } }, { reasoning: { effort: 'low' } }],
      [{ reasoning: { max_tokens: 2000 } }, { reasoning: { max_tokens: 2000 } }],
      [{ reasoning: { enabled: true, exclude: true } }, { reasoning: { enabled: true } }],
      [{ reasoning: { enabled: false } }, { reasoning: { enabled: false } }],
      [{ reasoning: { exclude: true } }, {}],
      [{ reasoning_effort: 'none' }, { reasoning_effort: 'none' }],
    ])('a host of which nothing is known gets %j as it came', async (asked, told) => {
      const { chat, fake } = await start({ slug: 'own', record });
      expect((await chat(asked)).status).toBe(200);
      // This one refuses the member, and is asked again without.
      expect(JSON.parse(fake.requests[0]?.text ?? '')).toEqual({ model: 'm', messages, ...told });
    });

    it.each([
      [{ reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
      [{ reasoning: { enabled: false } }, {}],
      [{ reasoning_effort: 'none' }, { reasoning_effort: 'none' }],
    ])('a host that is known gets %j in its own words', async (asked, told) => {
      const { sent } = await start({ slug: 'fireworks', record });
      expect(await sent(asked)).toEqual({ messages, ...told });
    });

    it('where an operator says how the host is told, it is told so', async () => {
      const { sent } = await start({ slug: 'own', record, quirks: { reasoning_on: { store: false } } });
      expect(await sent({ reasoning: { effort: 'low' } })).toEqual({
        ...{ messages, store: false, reasoning_effort: 'low' },
      });
    });

    it.each([{ effort: 'high' }, { enabled: true }, { max_tokens: 500 }])(
      'a model that is known to have none is not asked for %j, and its record says so',
      async (reasoning) => {
        const {
          chat,
          fake,
          record: recorded,
        } = await start({ slug: 'openai', model: 'openai/gpt-4o', record });
        const answer = await chat({ reasoning });
        expect([answer.status, fake.requests.at(-1)?.body]).toEqual([
          200,
          expect.not.objectContaining({ reasoning_effort: expect.anything() }),
        ]);
        expect((await recorded(answer)).omitted).toEqual(['reasoning']);
      },
    );
  });

  it('with require_parameters it is refused where the endpoint does not advertise it', async () => {
    const { fake, chat } = await start({ slug: 'own', record: { supported_parameters: ['max_tokens'] } });
    const answer = await chat({ reasoning_effort: 'high', provider: { require_parameters: true } });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('unsupported_parameter');
    expect(fake.requests).toEqual([]);
  });
});

describe('F23: reasoning is turned off, and verbosity said, in each host’s own words', () => {
  const reasoning = { mandatory: false, supported_efforts: ['high', 'medium', 'low'] };

  it.each([
    ['openai', { mandatory: false }, { reasoning_effort: 'none' }],
    ['openai', { ...reasoning, supported_efforts: ['high', 'none'] }, { reasoning_effort: 'none' }],
    ['openai', reasoning, { reasoning_effort: 'low' }],
    ['deepseek', reasoning, { thinking: { type: 'disabled' } }],
    ['alibaba', reasoning, { enable_thinking: false }],
    ['together', reasoning, { reasoning: { enabled: false } }],
    ['z-ai', reasoning, { thinking: { type: 'disabled' } }],
  ])('off at %s with the model’s record %j: %j', async (slug, record, expected) => {
    const { sentBody } = await offAt(slug, record);
    expect(sentBody).toEqual(expected);
  });

  it('on is said too where the host does not reason by itself', async () => {
    const { fake, chat } = await start({ slug: 'alibaba', record: { reasoning } });
    await chat({ reasoning: { effort: 'high' } });
    expect(JSON.parse(fake.requests[0]?.text ?? '')).toMatchObject({
      enable_thinking: true,
      reasoning_effort: 'high',
    });
  });

  it.each([
    ['openai', { verbosity: 'low' }],
    ['mistral', {}],
    ['groq', {}],
    ['fireworks', {}],
  ])('verbosity at %s: %j', async (slug, expected) => {
    const { sent } = await start({ slug });
    expect(await sent({ verbosity: 'low' })).toEqual({ messages, ...expected });
  });

  /** What the host is sent beside the messages; fakes of OpenAI refuse other hosts' members. */
  async function offAt(slug: string, record: object) {
    const { fake, chat } = await start({ slug, record: { reasoning: record } });
    await chat({ reasoning: { enabled: false } });
    const { model: _, messages: __, ...sentBody } = JSON.parse(fake.requests[0]?.text ?? '{}');
    return { sentBody };
  }
});

describe('quirks of the catalogue', () => {
  it('rename members, leave them out, and cut words out of strict schemas', async () => {
    const quirks = {
      members: { seed: 'random_seed', top_k: null },
      stream_options: null,
      schema_without: ['minimum'],
      cache_control: false,
    };
    const { fake, chat } = await start({ slug: 'own', quirks });
    const property = { type: 'integer', minimum: 1 };
    const schema = { type: 'object', properties: { minimum: property }, required: ['minimum'] };
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
    const tool = { name: 'f', parameters: schema };
    await chat({
      ...{ seed: 1, top_k: 2, stream: true, response_format: format },
      tools: [
        { type: 'function', function: { ...tool, strict: true }, cache_control: { type: 'ephemeral' } },
        { type: 'function', function: tool },
      ],
    });
    const kept = { ...schema, properties: { minimum: { type: 'integer' } } };
    const { model: _, ...sent } = JSON.parse(fake.requests[0]?.text ?? '{}');
    expect(sent).toEqual({
      ...{ messages, random_seed: 1, stream: true },
      response_format: { ...format, json_schema: { ...format.json_schema, schema: kept } },
      tools: [
        { type: 'function', function: { ...tool, strict: true, parameters: kept } },
        { type: 'function', function: tool },
      ],
    });
  });

  it.each([false, true])('say where a host has counts of its usage, streamed: %s', async (stream) => {
    const quirks = { usage: { cached_tokens: 'cache.read.tokens', web_searches: 'searches' } };
    const { fake, chat, record } = await start({ slug: 'own', quirks });
    const cached = { cache: { read: { tokens: 400 } }, prompt_tokens_details: { cached_tokens: 7 } };
    fake.plan('m', { usage: { prompt_tokens: 1000, completion_tokens: 10, searches: 2, ...cached } });
    expect(await record(await chat({ stream }))).toMatchObject({
      tokens_prompt: 1000,
      tokens_completion: 10,
      native_tokens_cached: 400,
    });
    fake.plan('m', { usage: { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 7 } } });
    expect(await record(await chat({ stream }))).toMatchObject({ native_tokens_cached: 7 });
  });
});
