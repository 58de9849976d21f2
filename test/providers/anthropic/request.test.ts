import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { messagesBody } from '../../../src/providers/anthropic/chat/request.js';
import { anthropic } from '../../../src/providers/anthropic/index.js';
import { readArguments } from '../../../src/providers/common/nested-json.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import type { Http } from '../../../src/providers/http/http.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-anthropic.js';
import { callTo, startAdapter, startTable } from './adapter.fixture.js';

const messages = [{ role: 'user', content: 'Hello' }];
const PLAIN = { max_tokens: 4096, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };

function sent(
  body: Partial<ChatBody>,
  upstreamModelId = 'claude-haiku-4-5',
  maxCompletionTokens: number | null = null,
) {
  const endpoint = { upstreamModelId, maxCompletionTokens };
  const chat = { messages, ...body };
  return messagesBody(chat, null, endpoint, runToEnd(readArguments(chat)));
}

describe('where messages go (base_url is the API root)', () => {
  it.each(['', '/', '//'])('below the root with %j at its end', async (end) => {
    const { fake } = await startTable();
    await startAdapter().complete(callTo(`${fake.baseUrl}${end}`, 'm'));
    expect(fake.requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages' });
  });

  it('to Anthropic itself without a base_url', async () => {
    const urls: string[] = [];
    const post: Http['post'] = async ({ url }) => {
      urls.push(url.href);
      throw new Error('no network');
    };
    const send = () => Promise.reject(new Error('not asked'));
    const http = { post, send, warmUp: () => undefined, close: async () => undefined };
    const { provider, ...call } = callTo('', 'm');
    const pending = createAdapter(anthropic({ http }), systemClock).complete({
      ...call,
      provider: { ...provider, baseUrl: null },
    });
    await expect(pending).rejects.toThrow('no network');
    expect(urls).toEqual(['https://api.anthropic.com/v1/messages']);
  });

  it.each([
    ['in one piece', 'application/json', undefined],
    ['streamed', 'text/event-stream', true],
  ])('with these headers and no others, %s', async (mode, accept, isStreamed) => {
    const { fake, complete, stream } = await startTable();
    await (mode === 'streamed' ? stream() : complete());
    const [request] = fake.requests;
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      'x-api-key': FAKE_API_KEY,
      'anthropic-version': '2023-06-01',
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    });
    expect(fake.baseUrl).toContain(String(host));
    expect(connection).toBe('keep-alive');
    expect(length).toBe(String(Buffer.byteLength(request?.text ?? '')));
    expect(request?.body.stream).toBe(isStreamed);
  });
});

describe('what is sent', () => {
  it('has no members of the transport, the gateway or other providers', () => {
    const dropped = {
      model: 'm',
      models: ['x'],
      provider: {},
      stream: true,
      stream_options: {},
      reasoning: { effort: 'high' },
      reasoning_effort: 'high',
      include_reasoning: true,
      n: 2,
      logprobs: true,
      top_logprobs: 2,
      frequency_penalty: 1,
      presence_penalty: 1,
      repetition_penalty: 1,
      seed: 1,
      logit_bias: {},
      min_p: 0.1,
      verbosity: 'low',
      anything: 'else',
    };
    expect(sent(dropped)).toEqual(PLAIN);
  });

  it.each([
    [{}, null, 4096],
    [{}, 64_000, 64_000],
    [{ max_tokens: 5 }, null, 5],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 64_000, 6],
    [{ max_tokens: 9000 }, 8192, 8192],
  ])('limits the answer: %j at an endpoint with %j to %i', (body, modelMax, max_tokens) => {
    expect(sent(body, undefined, modelMax)).toMatchObject({ max_tokens });
  });

  it.each([
    [{ temperature: 0.5 }, { temperature: 0.5 }],
    [{ temperature: 2 }, { temperature: 1 }],
    [{ temperature: -1 }, { temperature: 0 }],
    [
      { temperature: 0, top_k: 5 },
      { temperature: 0, top_k: 5 },
    ],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
    [{ temperature: 0.5, top_p: 0.5 }, { temperature: 0.5 }],
  ])('samples by %j as %j', (body, sampling) => {
    expect(sent(body)).toEqual({ ...PLAIN, ...sampling });
  });

  it('samples by both temperature and top_p where the model takes both', () => {
    const sampling = { temperature: 0.5, top_p: 0.5 };
    expect(sent(sampling, 'claude-3-7-sonnet-20250219')).toEqual({ ...PLAIN, ...sampling });
  });

  it.each(['claude-opus-4-7@default', 'claude-sonnet-5', 'us.anthropic.claude-opus-4-8-v1:0', 'claude-new'])(
    'has no sampling at %s, which takes none',
    (model) => {
      expect(sent({ temperature: 0.5, top_p: 0.5, top_k: 5 }, model)).toEqual(PLAIN);
    },
  );

  it.each([
    [{ stop: 'x' }, { stop_sequences: ['x'] }],
    [{ stop: ['x', ' \n', '', ' y'] }, { stop_sequences: ['x', ' y'] }],
    [{ stop: '\n' }, {}],
    [{ stop: [] }, {}],
    [{ user: 'u_1' }, { metadata: { user_id: 'u_1' } }],
    [{ service_tier: 'auto' }, { service_tier: 'auto' }],
    [{ service_tier: 'priority' }, { service_tier: 'auto' }],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }],
    [{ service_tier: 'flex' }, {}],
    [{ cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral' } }],
  ])('translates %j to %j', (body, members) => {
    expect(sent(body)).toEqual({ ...PLAIN, ...members });
  });
});

describe('tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const weather = { type: 'function', function: { name: 'weather', description: 'It', parameters } };
  const tools = [{ name: 'weather', description: 'It', input_schema: parameters }];
  const forced = { type: 'function', function: { name: 'weather' } };

  it.each([
    [{}, {}],
    [{ tool_choice: 'auto' }, { tool_choice: { type: 'auto' } }],
    [{ tool_choice: 'none' }, { tool_choice: { type: 'none' } }],
    [{ tool_choice: 'required' }, { tool_choice: { type: 'any' } }],
    [{ tool_choice: forced }, { tool_choice: { type: 'tool', name: 'weather' } }],
    [{ tool_choice: 'whatever' }, {}],
    [{ parallel_tool_calls: true }, {}],
    [{ parallel_tool_calls: false }, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    [
      { tool_choice: forced, parallel_tool_calls: false },
      { tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
    ],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { tool_choice: { type: 'none' } }],
  ])('are used by %j as %j', (body, choice) => {
    expect(sent({ tools: [weather], ...body })).toEqual({ ...PLAIN, tools, ...choice });
  });

  it('without any there is no choice', () => {
    expect(sent({ tools: [], tool_choice: 'required', parallel_tool_calls: false })).toEqual(PLAIN);
  });

  it.each([
    [{ name: 'a' }, { name: 'a', input_schema: { type: 'object', properties: {} } }],
    [
      { name: 'a', parameters: { required: [] }, strict: true },
      { name: 'a', input_schema: { type: 'object', required: [] }, strict: true },
    ],
    [
      { name: 'a', parameters, cache_control: { type: 'ephemeral' } },
      { name: 'a', input_schema: parameters, cache_control: { type: 'ephemeral' } },
    ],
  ])('are described: %j as %j', (described, tool) => {
    expect(sent({ tools: [{ type: 'function', function: described }] })).toMatchObject({ tools: [tool] });
  });

  it('of the provider’s own are passed on as they are', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
    expect(sent({ tools: [search, weather] })).toMatchObject({ tools: [search, ...tools] });
  });

  it('that were used are declared, even when none may be used any more', () => {
    const calls = ['t1', 't2'].map((id) => ({ id, function: { name: 'weather', arguments: '{}' } }));
    const instruction = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Sun' })),
    ];
    expect(sent({ messages: instruction })).toMatchObject({
      tools: [{ name: 'weather', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'none' },
    });
  });
});

describe('the response format', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };

  it('is a schema where the model takes one', () => {
    expect(sent({ response_format })).toEqual({
      ...PLAIN,
      output_config: { format: { type: 'json_schema', schema } },
    });
  });

  it.each([
    ['claude-3-haiku-20240307', response_format, JSON.stringify(schema)],
    ['claude-haiku-4-5', { type: 'json_object' }, 'JSON object'],
  ])('is an instruction for %s', (model, form, instruction) => {
    const system = [{ role: 'system', content: 'Be kind.' }, ...messages];
    expect(sent({ messages: system, response_format: form }, model)).toEqual({
      ...PLAIN,
      system: [
        { type: 'text', text: 'Be kind.' },
        { type: 'text', text: expect.stringContaining(instruction) },
      ],
    });
  });

  it.each([{ type: 'text' }, { type: 'json_schema' }, {}])('is text with %j', (form) => {
    expect(sent({ response_format: form })).toEqual(PLAIN);
  });
});

describe('F23: verbosity is the effort of a model that has efforts', () => {
  it.each([
    ['claude-opus-4-6', 'low', { output_config: { effort: 'low' } }],
    ['claude-opus-4-5', 'high', { output_config: { effort: 'high' } }],
    ['claude-sonnet-4-5', 'low', {}],
    ['claude-opus-4-6', 'chatty', {}],
  ])('%s with %s', (model, verbosity, expected) => {
    expect(sent({ verbosity }, model)).toEqual({ ...PLAIN, ...expected });
  });

  it('unless the request says how much to reason', () => {
    const reasoning = { isEnabled: true, effort: 'high', maxTokens: null } as const;
    const endpoint = { upstreamModelId: 'claude-opus-4-6', maxCompletionTokens: null };
    const body = messagesBody({ messages, verbosity: 'low' }, reasoning, endpoint, new Map());
    expect(body.output_config).toEqual({ effort: 'high' });
  });
});
