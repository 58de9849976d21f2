import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { caller } from '../../support/rest.js';
import { clientOf } from './sdk.fixture.js';

/** Served as it is by Anthropic, and translated by OpenAI. */
const LANES = ['native', 'translated'] as const;
const MODELS = { native: 'anthropic/claude', translated: 'openai/gpt' } as const;
const HELLO: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello there' }];
const CONTENT = 'Grüezi mitenand 👋🏽!';

/** A gateway with both models, each at its fake; the upstream ids are `claude-haiku-4-5` and `gpt`. */
async function start() {
  const [anthropic, openai] = await Promise.all([startFakeAnthropic(), startFakeOpenAi()]);
  const provider = (slug: string, base_url: string) => ({ slug, name: slug, adapter: slug, base_url });
  const served = (slug: string, upstream_model_id: string, completion: string) => [
    { provider: slug, upstream_model_id, pricing: { prompt: '0', completion } },
  ];
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [provider('anthropic', anthropic.baseUrl), provider('openai', openai.baseUrl)],
      models: [
        demoModel(MODELS.native, served('anthropic', 'claude-haiku-4-5', '0.000005')),
        demoModel(MODELS.translated, served('openai', 'gpt', '0.000005')),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  await manage('POST', '/byok', { provider: 'anthropic', key: ANTHROPIC_KEY });
  await manage('POST', '/byok', { provider: 'openai', key: OPENAI_KEY });
  const fail = (status: number, headers = {}) => {
    const body = { type: 'error', error: { type: 'api_error', message: 'Too bad', code: null, param: null } };
    anthropic.plan('claude-haiku-4-5', { status, body, headers });
    openai.plan('gpt', { status, body, headers });
  };
  return { gateway, anthropic, openai, fail, client: clientOf(gateway), manage };
}

function requestFor(lane: (typeof LANES)[number]): Anthropic.MessageCreateParamsNonStreaming {
  return { model: MODELS[lane], max_tokens: 1000, messages: HELLO };
}

describe.each(LANES)('Anthropic’s SDK, unmodified, %s', (lane) => {
  const request = requestFor(lane);

  it('gets a message, and a stream that its own helper puts together to the same', async () => {
    const { client } = await start();
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({
        id: expect.stringMatching(/^msg_gen-/),
        type: 'message',
        role: 'assistant',
        model: MODELS[lane],
        content: [{ type: 'text', text: CONTENT }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        container: null,
        usage: { input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens },
      });
    }
    expect(whole._request_id).toBeTruthy();
    expect(whole.usage).toMatchObject({ cost: 0, is_byok: true });
  });

  it('gets an answer in a schema, parsed by its own helper', async () => {
    const { client, anthropic, openai } = await start();
    const words = ['{"city":', '"Zürich"', '}'];
    anthropic.plan('claude-haiku-4-5', { words });
    openai.plan('gpt', { words });
    const format = jsonSchemaOutputFormat({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    });
    const message = await client.messages.parse({ ...request, output_config: { format } });
    expect(message.parsed_output).toEqual({ city: 'Zürich' });
  });

  it('gets thoughts, and sends them back', async () => {
    const { client, openai } = await start();
    openai.plan('gpt', { reasoning: ['Hm,', ' well'] });
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
    const thoughtful = { ...request, max_tokens: 4096, thinking };
    const first = await client.messages.create(thoughtful);
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const streamed = await client.messages.stream(thoughtful).finalMessage();
    expect(streamed.content).toEqual(first.content);
    const messages = [...HELLO, { role: 'assistant' as const, content: first.content }, ...HELLO];
    expect((await client.messages.create({ ...thoughtful, messages })).stop_reason).toBe('end_turn');
  });

  it('counts tokens', async () => {
    const { client } = await start();
    const { input_tokens } = await client.messages.countTokens({ model: MODELS[lane], messages: HELLO });
    expect(input_tokens).toBeGreaterThan(0);
  });

  it.each([
    [400, Anthropic.BadRequestError, 400, 'invalid_request_error'],
    [429, Anthropic.RateLimitError, 429, 'rate_limit_error'],
    [500, Anthropic.InternalServerError, 529, 'overloaded_error'],
  ])('gets a provider’s %i as its own error', async (status, error, expected, type) => {
    const { client, fail } = await start();
    fail(status, status === 429 ? { 'retry-after': '3' } : {});
    const thrown = await client.messages.create(request).catch((one: unknown) => one);
    expect(thrown).toBeInstanceOf(error);
    const { status: told, error: body, headers } = thrown as InstanceType<typeof error>;
    expect(told).toBe(expected);
    expect(body).toMatchObject({
      type: 'error',
      error: { type: lane === 'native' && status === 400 ? 'api_error' : type },
    });
    expect(headers.get('retry-after')).toBe(status === 429 ? '3' : null);
  });

  it('gets the end of a stream that breaks off as an error', async () => {
    const { client, anthropic, openai } = await start();
    anthropic.plan('claude-haiku-4-5', { words: ['Well'], isStopMissing: true });
    openai.plan('gpt', {
      chunks: [{ choices: [{ index: 0, delta: { content: 'Well' } }] }],
      isDoneMissing: true,
    });
    const texts: string[] = [];
    const stream = client.messages.stream(request).on('text', (text) => void texts.push(text));
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
    expect(texts.join('')).toBe('Well');
  });
});

describe('Anthropic’s SDK, refused before any provider', () => {
  it('gets each refusal as its own error', async () => {
    const { gateway, client } = await start();
    const request = requestFor('native');
    const stranger = clientOf({ ...gateway, apiKey: 'bw-nobody' });
    await expect(stranger.messages.create(request)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(client.messages.create({ ...request, model: 'no/such' })).rejects.toMatchObject({
      status: 404,
      type: 'not_found_error',
      error: {
        type: 'error',
        error: { metadata: { reason: 'unknown_model' } },
        request_id: expect.any(String),
      },
    });
    await expect(client.messages.create({ ...request, max_tokens: 0 })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
  });

  it('is told that it can’t pay as Anthropic tells it', async () => {
    const { gateway, client, manage } = await start();
    await manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 0, include_byok_in_limit: true });
    await expect(client.messages.create(requestFor('native'))).rejects.toMatchObject({
      status: 402,
      type: 'billing_error',
    });
  });

  it('is told of a tool that only Anthropic runs where nobody else can', async () => {
    const { client } = await start();
    const tools: Anthropic.ToolUnion[] = [{ type: 'web_search_20250305', name: 'web_search' }];
    const refused = client.messages.create({ ...requestFor('translated'), tools });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('web_search_20250305'),
    });
    expect((await client.messages.create({ ...requestFor('native'), tools })).type).toBe('message');
  });
});

describe('Anthropic’s SDK, unmodified', () => {
  it('lists the models in pages, and reads one by its id', async () => {
    const { client } = await start();
    const ids: string[] = [];
    for await (const { id, type, display_name } of client.models.list({ limit: 1 })) {
      ids.push(id);
      expect([type, display_name]).toEqual(['model', expect.any(String)]);
    }
    expect(ids.toSorted()).toEqual(Object.values(MODELS).toSorted());
    expect(await client.models.retrieve(MODELS.native)).toMatchObject({ id: MODELS.native, type: 'model' });
  });
});
