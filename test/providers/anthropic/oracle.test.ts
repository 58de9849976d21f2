import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { assembled, callTo, eventsOf, startAdapter, startTable } from './adapter.fixture.js';

const MODEL = 'claude-sonnet-4-6';
const messages = [{ role: 'user' as const, content: 'Hello there' }];
const pending = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello there' }] };
const schema = { type: 'object' as const, properties: { city: { type: 'string' } } };
const chatTools = [
  { type: 'function', function: { name: 'weather', description: 'It', parameters: schema } },
];
const tools = [{ name: 'weather', description: 'It', input_schema: schema }];

/** The official client, which sends the latest version unless told otherwise. */
function client(origin: string, apiKey = FAKE_API_KEY, headers: Record<string, string> = {}): Anthropic {
  return new Anthropic({ baseURL: origin, apiKey, maxRetries: 0, defaultHeaders: headers });
}

describe('the fake is an Anthropic for the official client', () => {
  it('answers in one piece', async () => {
    const { origin } = await startFakeAnthropic();
    const answer = await client(origin).messages.create({ model: MODEL, messages, max_tokens: 9 });
    expect(answer.content).toEqual([{ type: 'text', text: 'Grüezi mitenand 👋🏽!' }]);
    expect(answer.stop_reason).toBe('end_turn');
    expect(answer.usage.output_tokens).toBe(3);
    expect(answer._request_id).toBe('req_fake');
  });

  it.each([
    ['text', { messages }],
    ['a tool call', { messages, tools }],
    ['thoughts', { messages, thinking: { type: 'adaptive' as const } }],
    ['thoughts before a tool call', { messages, tools, thinking: { type: 'adaptive' as const } }],
  ])('streams what it would answer in one piece: %s', async (_, params) => {
    const { origin } = await startFakeAnthropic();
    const body = { model: MODEL, max_tokens: 2000, ...params };
    const whole = await client(origin).messages.create(body);
    const streamed = await client(origin).messages.stream(body).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe(whole.stop_reason);
    expect(streamed.usage).toEqual(whole.usage);
  });

  it.each([
    ['a wrong key', { apiKey: 'sk-ant-wrong' }, {}, Anthropic.AuthenticationError, 'authentication_error'],
    ['a model that is not there', {}, { model: 'no-such-model' }, Anthropic.NotFoundError, 'not_found_error'],
    ['a member that nobody knows', {}, { n: 2 }, Anthropic.BadRequestError, 'invalid_request_error'],
    ['sampling in the latest version', {}, { top_k: 2 }, Anthropic.BadRequestError, 'invalid_request_error'],
    ['no tokens', {}, { max_tokens: 0 }, Anthropic.BadRequestError, 'invalid_request_error'],
  ])('refuses %s', async (_, { apiKey = FAKE_API_KEY }: { apiKey?: string }, more, kind, type) => {
    const { origin } = await startFakeAnthropic();
    const params = { model: MODEL, messages, max_tokens: 9, ...more };
    const thrown = await client(origin, apiKey)
      .messages.create(params)
      .catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ type, requestID: 'req_fake' });
  });

  it.each([
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', Anthropic.RateLimitError],
    [500, 'api_error', undefined, Anthropic.InternalServerError],
    [529, 'overloaded_error', undefined, Anthropic.OverloadedError],
  ])('fails with %i by plan', async (status, type, error_code, kind) => {
    const fake = await startFakeAnthropic();
    fake.plan(MODEL, error(status, type, 'No', error_code === undefined ? undefined : { error_code }));
    const call = client(fake.origin).messages.create({ model: MODEL, messages, max_tokens: 9 });
    const thrown = await call.catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ status, type, errorCode: error_code ?? null });
  });

  it('fails in the middle of a stream', async () => {
    const fake = await startFakeAnthropic();
    const told = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    fake.plan(MODEL, { events: [told] });
    const stream = client(fake.origin).messages.stream({ model: MODEL, messages, max_tokens: 9 });
    await expect(stream.finalMessage()).rejects.toMatchObject({ type: 'overloaded_error' });
  });
});

type Params = Omit<MessageCreateParamsNonStreaming, 'model' | 'max_tokens' | 'messages'> &
  Partial<MessageCreateParamsNonStreaming>;
type Case = readonly [name: string, body: Partial<ChatBody>, params: Params, reasoning: Reasoning | null];

const image = { url: 'data:image/png;base64,AAAA' };
const pdf = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' };
const cache_control = { type: 'ephemeral' as const, ttl: '1h' as const };

const CASES: Case[] = [
  ['no options', {}, {}, null],
  ['limits', { max_tokens: 5, max_completion_tokens: 7 }, { max_tokens: 7 }, null],
  [
    'a system prompt and a cache mark',
    { messages: [{ role: 'system', content: [{ type: 'text', text: 'Be', cache_control }] }, ...messages] },
    { system: [{ type: 'text', text: 'Be', cache_control }] },
    null,
  ],
  [
    'tools',
    { tools: chatTools, tool_choice: 'required', parallel_tool_calls: false },
    { tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    null,
  ],
  [
    'stops, a user and a tier',
    { stop: ['a', ' '], user: 'u', service_tier: 'default' },
    { stop_sequences: ['a'], metadata: { user_id: 'u' }, service_tier: 'standard_only' },
    null,
  ],
  [
    'an image and a file',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: image },
            { type: 'file', file: pdf },
          ],
        },
      ],
    },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
              title: 'a.pdf',
            },
          ],
        },
      ],
    },
    null,
  ],
  [
    'a form',
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    {
      output_config: { format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } } },
    },
    null,
  ],
  [
    'thinking by effort',
    {},
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    { isEnabled: true, effort: 'minimal', maxTokens: null },
  ],
  [
    'thinking by tokens',
    { temperature: 0.5 },
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    { isEnabled: true, effort: null, maxTokens: 2000 },
  ],
  [
    'a conversation with thoughts and tools',
    {
      tools: chatTools,
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          reasoning: 'Hm',
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'Hm',
              signature: signatureOf('Hm'),
              format: 'anthropic-claude-v1',
            },
          ],
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Sun' },
      ],
    },
    {
      tools,
      messages: [
        pending,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: signatureOf('Hm') },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sun' }] },
          ],
        },
      ],
    },
    null,
  ],
];

describe('the adapter sends what the official client sends', () => {
  const defaults = { model: MODEL, max_tokens: 4096, messages: [pending] };

  it.each(CASES)('in one piece, with %s', async (_, body, params, reasoning) => {
    const { fake, complete } = await startTable({}, MODEL);
    await complete({ body, reasoning });
    await client(fake.origin).messages.create({ ...defaults, ...params });
    const [ours, theirs] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
    expect([ours?.method, ours?.path]).toEqual([theirs?.method, theirs?.path]);
    expect(ours?.headers['content-type']).toBe(theirs?.headers['content-type']);
  });

  it.each(CASES)('streamed, with %s', async (_, body, params, reasoning) => {
    const { fake, stream } = await startTable({}, MODEL);
    expect((await stream({ body, reasoning })).thrown).toBeUndefined();
    await client(fake.origin)
      .messages.stream({ ...defaults, ...params })
      .finalMessage();
    const [ours, theirs] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
  });

  it('with sampling, which the version before the latest takes', async () => {
    const { fake, complete } = await startTable({}, MODEL);
    await complete({ body: { temperature: 0.5, top_k: 7 } });
    const version = { 'anthropic-version': '2023-06-01' };
    const params = { ...defaults, temperature: 0.5, top_k: 7 };
    await client(fake.origin, FAKE_API_KEY, version).messages.create(params);
    const [ours, theirs] = fake.requests;
    expect(ours?.body).toEqual(theirs?.body);
    expect(ours?.headers['anthropic-version']).toBe(theirs?.headers['anthropic-version']);
  });

  it('and reads the same out of the answer, in one piece and streamed', async () => {
    const fake = await startFakeAnthropic();
    const adapter = startAdapter();
    const reasoning = { isEnabled: true, effort: null, maxTokens: null };
    for (const body of [{}, { max_tokens: 1 }, { tools: chatTools }]) {
      const call = callTo(fake.baseUrl, MODEL, { body, reasoning });
      const whole = normalizedOf(await adapter.complete(call));
      const { events } = await eventsOf(adapter.stream(call));
      const [choice] = whole.choices;
      const actual = assembled(events);
      expect(actual.content).toBe(choice?.message.content ?? '');
      expect(actual.reasoning).toBe(choice?.message.reasoning);
      expect(actual.tool_calls).toEqual(choice?.message.tool_calls ?? []);
      expect(events.at(-1)).toEqual({
        type: 'finish',
        index: 0,
        reason: choice?.finish_reason,
        nativeReason: choice?.native_finish_reason,
      });
      expect(events.findLast(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: whole.usage });
    }
  });
});
