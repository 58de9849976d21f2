import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { readArgumentsAndResults } from '../../../src/providers/google-vertex/chat/gemini/nested.js';
import { geminiRequest } from '../../../src/providers/google-vertex/chat/gemini/request.js';
import { startTable } from './adapter.fixture.js';

const MODEL = 'gemini-2.5-flash';
const hello: ChatMessage = { role: 'user', content: 'Hello' };

function translated(body: Partial<ChatBody>, model = MODEL, reasoning: Reasoning | null = null) {
  const chat = { messages: [hello], ...body };
  return geminiRequest(chat, reasoning, model, runToEnd(readArgumentsAndResults(chat)));
}

function configOf(body: Partial<ChatBody>): unknown {
  return translated(body).generationConfig;
}

describe('tools', () => {
  const tools = [
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b', parameters: {} } },
  ];

  it('of Gemini’s own pass beside functions, in its words', () => {
    const own = [
      { type: 'google_search', google_search: { excludeDomains: ['a.example'] } },
      { type: 'urlContext' },
    ];
    expect(
      translated({ tools: [...tools.slice(0, 1), ...own] as never }, 'gemini-3-pro-preview').tools,
    ).toEqual([
      { functionDeclarations: [{ name: 'a' }] },
      { googleSearch: { excludeDomains: ['a.example'] } },
      { urlContext: {} },
    ]);
  });

  it('are declared with their schemas as they are', () => {
    expect(translated({ tools }).tools).toEqual([
      { functionDeclarations: [{ name: 'a' }, { name: 'b', parametersJsonSchema: {} }] },
    ]);
  });

  it.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'b' } },
      { mode: 'ANY', allowedFunctionNames: ['b'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tools[0]] } },
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tools[0]] } },
      { mode: 'ANY', allowedFunctionNames: ['a'] },
    ],
  ])('are chosen by %j', (tool_choice, functionCallingConfig) => {
    expect(translated({ tools, tool_choice }).toolConfig).toEqual({ functionCallingConfig });
  });

  it('need no choice where there are none', () => {
    expect(translated({ tools: [], tool_choice: 'auto' })).toEqual(translated({}));
  });

  it.each([[{ tools: [{ type: 'web_search' }] }], [{ tools, tool_choice: { type: 'custom' } }]])(
    'of other kinds are refused before they are sent: %j',
    (body) => {
      expect(() => translated(body)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    },
  );
});

describe('the generation configuration', () => {
  it.each([
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ stop: ['a', 'b'] }, { stopSequences: ['a', 'b'] }],
    [{ response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    [
      { temperature: 0, seed: 0 },
      { temperature: 0, seed: 0 },
    ],
  ])('has %j', (body, config) => {
    expect(configOf(body)).toEqual(config);
  });

  it.each([
    { response_format: { type: 'text' } },
    { stop: [] },
    {
      user: 'u',
      metadata: {},
      store: true,
      parallel_tool_calls: false,
      logit_bias: {},
      service_tier: 'auto',
    },
    { reasoning: { effort: 'high' }, reasoning_effort: 'high', include_reasoning: true },
    { provider: {}, models: ['a'], stream: true, stream_options: {} },
  ])('leaves out what Google does not have, or does not need: %j', (body) => {
    expect(configOf(body)).toBeUndefined();
  });
});

const thinking = (effort: Reasoning['effort'], maxTokens: number | null = null): Reasoning => ({
  isEnabled: true,
  effort,
  maxTokens,
});
const OFF: Reasoning = { isEnabled: false, effort: null, maxTokens: null };

describe('thinking, by the model’s generation', () => {
  it.each<[string, Reasoning | null, object | undefined]>([
    ['gemini-2.5-flash', null, undefined],
    ['gemini-2.5-flash', OFF, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', thinking(null), { includeThoughts: true }],
    ['gemini-2.5-flash', thinking('minimal'), { includeThoughts: true, thinkingBudget: 512 }],
    ['gemini-2.5-flash', thinking('low'), { includeThoughts: true, thinkingBudget: 1024 }],
    ['gemini-2.5-flash', thinking('max'), { includeThoughts: true, thinkingBudget: 24576 }],
    ['gemini-2.5-flash', thinking('low', 3000), { includeThoughts: true, thinkingBudget: 3000 }],
    ['gemini-2.5-flash', thinking(null, 99_999), { includeThoughts: true, thinkingBudget: 24576 }],
    ['gemini-2.5-flash-lite', thinking(null), { includeThoughts: true, thinkingBudget: -1 }],
    ['gemini-2.5-flash-lite', thinking(null, 5), { includeThoughts: true, thinkingBudget: 512 }],
    ['gemini-2.5-flash-lite', OFF, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', OFF, { thinkingBudget: 128 }],
    ['gemini-2.5-pro', thinking('xhigh'), { includeThoughts: true, thinkingBudget: 32768 }],
    ['gemini-flash-latest', thinking('high'), { includeThoughts: true, thinkingBudget: 24576 }],
    ['gemini-3.5-flash', OFF, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.5-flash', thinking('minimal'), { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
    ['gemini-3.5-flash', thinking('medium', 3000), { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-3.5-flash', thinking(null), { includeThoughts: true }],
    ['gemini-3.5-flash', thinking(null, 3000), { includeThoughts: true, thinkingBudget: 3000 }],
    ['gemini-3.5-flash', thinking(null, 99_999), { includeThoughts: true, thinkingBudget: 24576 }],
    ['gemini-3.7-flash', OFF, { thinkingLevel: 'LOW' }],
    ['gemini-3.8-flash', thinking('minimal'), { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', thinking('medium'), { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3-pro-preview', thinking('low'), { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.1-flash-lite-image', thinking('low'), { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3.1-flash-lite-image', OFF, { thinkingLevel: 'MINIMAL' }],
    ['gemini-2.0-flash-001', thinking('high'), undefined],
    ['gemini-2.0-flash-001', OFF, undefined],
    ['gemini-2.5-flash-image', thinking('high'), undefined],
    ['gemini-3.1-pro-preview', OFF, { thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', thinking('medium'), { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-3.1-pro-preview', thinking('minimal'), { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', thinking('xhigh'), { includeThoughts: true, thinkingLevel: 'HIGH' }],
  ])('%s with %j: %j', async (model, reasoning, thinkingConfig) => {
    const sent = translated({}, model, reasoning);
    expect(sent.generationConfig).toEqual(thinkingConfig && { thinkingConfig });
    const { complete } = await startTable({}, model);
    expect((await complete({ reasoning })).choices).toHaveLength(1);
  });
});

describe('Anthropic’s models', () => {
  it('are called with the Messages API, with the version in the body and the model in the path', async () => {
    const { fake, complete, stream } = await startTable({}, 'claude-haiku-4-5@20251001');
    const body = { max_tokens: 50, temperature: 0.5, service_tier: 'auto' };
    await complete({ body, region: 'us-east5' });
    await stream({ body });
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello there' }] }];
    const expected = { anthropic_version: 'vertex-2023-10-16', messages, max_tokens: 50, temperature: 0.5 };
    expect(fake.requests.map((request) => request.body)).toEqual([expected, { ...expected, stream: true }]);
    expect(fake.requests.map(({ path }) => path)).toEqual([
      '/v1/projects/fake-project/locations/us-east5/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict',
      '/v1/projects/fake-project/locations/global/publishers/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict',
    ]);
    expect(fake.requests[0]?.headers['anthropic-version']).toBeUndefined();
  });

  it('think by the traits of the id without its publisher', async () => {
    const { fake, complete } = await startTable({}, 'claude-sonnet-4-6@default');
    const endpoint = { upstreamModelId: 'publishers/anthropic/models/claude-sonnet-4-6@default' };
    await complete({ endpoint, reasoning: thinking('high') });
    expect(fake.requests[0]?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
  });
});

describe('models of others', () => {
  it('are called in OpenAI’s format, with the model and its publisher in the body', async () => {
    const model = 'openai/gpt-oss-120b-maas';
    const { fake, complete, stream } = await startTable({}, model);
    const body = { temperature: 0.5, reasoning: { effort: 'low' }, include_reasoning: true };
    await complete({ body, reasoning: thinking('high') });
    await stream({ body, reasoning: OFF });
    const expected = { model, messages: [{ role: 'user', content: 'Hello there' }], temperature: 0.5 };
    expect(fake.requests.map((request) => request.body)).toEqual([
      { ...expected, reasoning_effort: 'high' },
      { ...expected, reasoning_effort: 'none', stream: true, stream_options: { include_usage: true } },
    ]);
  });
});

describe('the headers of a request', () => {
  it.each([
    ['in one piece', 'application/json'],
    ['streamed', 'text/event-stream'],
  ])('are these and no others, %s', async (mode, accept) => {
    const { fake, complete, stream } = await startTable();
    await (mode === 'streamed' ? stream() : complete());
    const { host, connection, 'content-length': length, ...headers } = fake.requests[0]?.headers ?? {};
    expect(headers).toEqual({
      authorization: `Bearer ${fake.tokens[0]}`,
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    });
  });
});
