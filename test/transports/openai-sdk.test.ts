import OpenAI, { APIError, AuthenticationError, BadRequestError, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedCatalog } from '../support/catalog.js';
import { launchGateway } from '../support/gateway.js';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello' }];
const ECHO = "You said: Say hello This is Byway's demo provider, and everything works.";

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
];

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: scriptedCatalog(), env: { BYWAY_ON_DISCONNECT: 'cancel' } });
  openai = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
});

afterAll(() => gateway.stop());

describe('the openai SDK, unmodified', () => {
  it('gets a completion with its usage and cost', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: 'test/m1', messages, temperature: 0.2, max_tokens: 100 })
      .withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'test/m1',
      provider: 'a',
      system_fingerprint: null,
      choices: [{ index: 0, message: { role: 'assistant', content: ECHO }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, cost: expect.any(Number), is_byok: false },
    });
    expect(data.usage?.total_tokens).toBe(
      (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0),
    );
    expect(response.headers.get('x-generation-id')).toBe(data.id);
  });

  it('gets a stream whose last chunk has the usage and no choices', async () => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const stream = await openai.chat.completions.create({ model: 'test/m1', messages, stream: true });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(ECHO);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true);
    expect(chunks.at(-2)?.choices).toMatchObject([{ finish_reason: 'stop' }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === undefined || usage === null)).toBe(true);
  });

  it('puts a stream together with its own helper', async () => {
    const runner = openai.chat.completions.stream({ model: 'demo/tools', messages, tools });
    const { choices, usage } = await runner.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'weather', arguments: '{"city":"example","days":1}' } }] },
    });
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  it('has a tool called, and answers with its result', async () => {
    const { choices } = await openai.chat.completions.create({ model: 'demo/tools', messages, tools });
    const message = choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    if (message === undefined || call?.type !== 'function') throw new Error('no call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'example', days: 1 });
    const result: OpenAI.ChatCompletionMessageParam = {
      role: 'tool',
      tool_call_id: call.id,
      content: 'rain',
    };
    const answer = await openai.chat.completions.create({
      model: 'demo/tools',
      messages: [...messages, message, result],
      tools,
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: ECHO } });
  });

  it('gets structured output that parses', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const { choices } = await openai.chat.completions.create({
      model: 'test/m1',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ ok: true });
  });

  it('lists models', async () => {
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toContain('test/m1');
  });
});

describe('failures in the openai SDK', () => {
  it('a wrong key is an AuthenticationError', async () => {
    const stranger = openai.withOptions({ apiKey: `bw-v1-${'0'.repeat(64)}` });
    const error = await failure(stranger.chat.completions.create({ model: 'test/m1', messages }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining('Invalid API key') });
  });

  it('an unknown model is a BadRequestError that names the nearest', async () => {
    const error = await failure(openai.chat.completions.create({ model: 'test/m', messages }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain('did you mean test/m1');
    expect(error.error).toMatchObject({ code: 400, metadata: { reason: 'unknown_model' } });
  });

  it('rate limits everywhere are a RateLimitError with Retry-After', async () => {
    const error = await failure(openai.chat.completions.create({ model: 'demo/status-429', messages }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.headers?.get('retry-after')).toBe('2');
    expect(error.error).toMatchObject({
      metadata: { provider_responses: [{ provider: 'demo', status: 429 }] },
    });
  });

  it.each(['demo/status-500', 'demo/reset'])(
    '%s is an APIError with status 502, streamed too',
    async (model) => {
      const error = await failure(openai.chat.completions.create({ model, messages }));
      expect(error).toMatchObject({
        status: 502,
        message: expect.stringContaining('No provider could serve'),
      });
      expect(await failure(openai.chat.completions.create({ model, messages, stream: true }))).toMatchObject({
        status: 502,
      });
    },
  );

  it('a stream that breaks gives what arrived, then throws', async () => {
    const stream = await openai.chat.completions.create({
      model: 'demo/break-after-3',
      messages,
      stream: true,
    });
    const words: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream) words.push(chunk.choices[0]?.delta.content ?? '');
    })();
    const error = await failure(reading);
    expect(words.join('')).toBe('You said: Say');
    expect(error.message).toContain('reset');
  });

  it('a stream that is aborted ends at once, and its record says so', async () => {
    const stream = await openai.chat.completions.create({
      model: 'demo/stall-after-3',
      messages,
      stream: true,
    });
    let id = '';
    let words = '';
    for await (const chunk of stream) {
      id = chunk.id;
      words += chunk.choices[0]?.delta.content ?? '';
      if (words === 'You said: Say') stream.controller.abort();
    }
    await expect
      .poll(() => generation(id))
      .toMatchObject({
        model: 'demo/stall-after-3',
        cancelled: true,
        streamed: true,
        tokens_completion: expect.any(Number),
      });
  });

  async function generation(id: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const response = await fetch(`${gateway.rest}/generation?id=${id}`, { headers });
    return ((await response.json()) as { readonly data?: unknown }).data;
  }

  async function failure(call: PromiseLike<unknown>): Promise<APIError> {
    const error = await Promise.resolve(call).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof APIError)) throw new Error(`no APIError: ${String(error)}`, { cause: error });
    return error;
  }
});
