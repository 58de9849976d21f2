import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage } from '../../../src/chat/dialect.js';
import type { Reasoning } from '../../../src/chat/reasoning.js';
import { geminiRequest } from '../../../src/upstream/google-vertex/gemini/request.js';
import { startTable } from './table.js';

const MODEL = 'gemini-2.5-flash';
const NEW_MODEL = 'gemini-3.1-pro-preview';
const hello: ChatMessage = { role: 'user', content: 'Hello' };

function translated(body: Partial<ChatBody>, model = MODEL, reasoning: Reasoning | null = null) {
  return geminiRequest({ messages: [hello], ...body }, reasoning, model);
}

function contentsOf(messages: readonly ChatMessage[], model = MODEL): unknown {
  return translated({ messages }, model).contents;
}

function configOf(body: Partial<ChatBody>): unknown {
  return translated(body).generationConfig;
}

describe('a conversation', () => {
  it('is given turn by turn, what follows from the same side in one', () => {
    const messages: ChatMessage[] = [
      hello,
      { role: 'user', content: [{ type: 'text', text: 'there' }] },
      { role: 'assistant', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ];
    expect(contentsOf(messages)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }, { text: 'there' }] },
      { role: 'model', parts: [{ text: 'Hi' }, { text: 'No' }] },
    ]);
  });

  it('leaves out what says nothing, which Google refuses', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: '' },
      hello,
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null },
      { role: 'user', content: [{ type: 'text', text: '' }] },
    ];
    expect(translated({ messages })).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
  });

  it('of instructions alone has them as what is to be answered', () => {
    expect(translated({ messages: [{ role: 'system', content: 'Sing' }] })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Sing' }] }],
    });
  });

  it.each([
    ['a type that nobody knows', { type: 'hologram' }],
    ['a file by an id of OpenAI’s', { type: 'file', file: { file_id: 'file-1' } }],
    ['an image without a URL', { type: 'image_url', image_url: {} }],
    ['an image on the client’s disk', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
    ['audio without data', { type: 'input_audio', input_audio: { format: 'wav' } }],
    ['a broken data URL', { type: 'image_url', image_url: { url: 'data:image/png;base64' } }],
    ['broken escapes', { type: 'file', file: { file_data: 'data:text/plain,%E0%A4%A' } }],
  ])('is refused before it is sent when it has %s', (_, part) => {
    const messages = [{ role: 'user', content: [part] }];
    expect(() => contentsOf(messages)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', status: 400 }),
    );
  });

  it.each([
    [
      'https://example.com/a.JPG',
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.JPG' } },
    ],
    ['https://example.com/a', { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a' } }],
    ['gs://b/o.png', { fileData: { mimeType: 'image/png', fileUri: 'gs://b/o.png' } }],
    ['data:image/webp;charset=x;base64,AAAA', { inlineData: { mimeType: 'image/webp', data: 'AAAA' } }],
    ['data:,a%20b', { inlineData: { mimeType: 'image/jpeg', data: Buffer.from('a b').toString('base64') } }],
  ])('has an image at %s', (url, part) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }];
    expect(contentsOf(messages)).toEqual([{ role: 'user', parts: [part] }]);
  });
});

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const calling = (name: string, args: object, more: object = {}) => ({
  functionCall: { name, args },
  ...more,
});
const answering = (name: string, response: object) => ({ functionResponse: { name, response } });
const NO_SIGNATURE = { thoughtSignature: 'skip_thought_signature_validator' };

describe('calls of tools and their results', () => {
  it('are paired by id and stand in the order of the calls, since Vertex takes no ids', () => {
    const messages: ChatMessage[] = [
      hello,
      {
        role: 'assistant',
        content: 'Look',
        tool_calls: [call('1', 'a', '{"x":1}'), call('2', 'b', ''), call('3', 'a', '[')],
      },
      { role: 'tool', tool_call_id: '3', content: 'third' },
      { role: 'tool', tool_call_id: '1', content: '{"first":true}' },
      { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: '[2]' }] },
      { role: 'user', content: 'And?' },
    ];
    expect(contentsOf(messages)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      {
        role: 'model',
        parts: [{ text: 'Look' }, calling('a', { x: 1 }), calling('b', {}), calling('a', {})],
      },
      {
        role: 'user',
        parts: [
          answering('a', { first: true }),
          answering('b', { output: [2] }),
          answering('a', { output: 'third' }),
        ],
      },
      { role: 'user', parts: [{ text: 'And?' }] },
    ]);
  });

  it('are paired with the latest call where ids are used again', () => {
    const turn = (name: string, said: string): ChatMessage[] => [
      { role: 'assistant', tool_calls: [call('call_0', name, '{}')] },
      { role: 'tool', tool_call_id: 'call_0', content: said },
    ];
    const contents = contentsOf([hello, ...turn('a', 'one'), ...turn('b', 'two')]);
    expect(contents).toMatchObject([
      {},
      {},
      { parts: [answering('a', { output: 'one' })] },
      {},
      { parts: [answering('b', { output: 'two' })] },
    ]);
  });

  it('keep images that a tool answers with, after all results', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')] },
      { role: 'tool', tool_call_id: '1', content: [image] },
      { role: 'tool', tool_call_id: '2', content: '' },
    ];
    expect(contentsOf(messages)).toMatchObject([
      {},
      {},
      {
        parts: [
          answering('a', { output: '' }),
          answering('b', { output: '' }),
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
        ],
      },
    ]);
  });

  it('come back with the signatures that the model gave them', () => {
    const details = [
      { type: 'reasoning.encrypted', data: 'sig-2', id: '2', format: 'google-gemini-v1', index: 1 },
      { type: 'reasoning.encrypted', data: 'sig-text', format: 'google-gemini-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'foreign', id: '1', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'Hm', format: 'google-gemini-v1', index: 2 },
    ];
    const messages: ChatMessage[] = [
      hello,
      {
        role: 'assistant',
        content: 'So',
        tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')],
        reasoning_details: details,
      },
    ];
    expect(contentsOf(messages, NEW_MODEL)).toMatchObject([
      {},
      {
        parts: [
          { text: 'So', thoughtSignature: 'sig-text' },
          calling('a', {}),
          calling('b', {}, { thoughtSignature: 'sig-2' }),
        ],
      },
    ]);
  });

  it.each([
    [NEW_MODEL, NO_SIGNATURE],
    ['gemini-flash-latest', NO_SIGNATURE],
    [MODEL, {}],
  ])('of another model are taken by %s', (model, signature) => {
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')] },
    ];
    expect(contentsOf(messages, model)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [calling('a', {}, signature), calling('b', {})] },
    ]);
  });
});

describe('tools', () => {
  const tools = [
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b', parameters: {} } },
  ];

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

  it('that there are none of need no choice', () => {
    expect(translated({ tools: [], tool_choice: 'auto' })).toEqual(translated({}));
  });

  it.each([[{ tools: [{ type: 'web_search' }] }], [{ tools, tool_choice: { type: 'custom' } }]])(
    'of other kinds are refused before they are sent: %j',
    (body) => {
      expect(() => translated(body)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    },
  );
});

describe('the configuration', () => {
  it.each([
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ stop: ['a', 'b'] }, { stopSequences: ['a', 'b'] }],
    [{ response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    [
      { temperature: 0, seed: 0 },
      { temperature: 0, seed: 0 },
    ],
  ])('says %j', (body, config) => {
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
  ])('leaves out what Google has no word for, or need not be told: %j', (body) => {
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
    ['gemini-3.1-pro-preview', OFF, { thinkingLevel: 'LOW' }],
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
  it('are asked in the words of the Messages API, the version in the body, the model in the path', async () => {
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

  it('are told how to think by the id without its publisher', async () => {
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
  it('are asked in the words of OpenAI, the model and its publisher in the body', async () => {
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
  ])('are these and no others, %s', async (way, accept) => {
    const { fake, complete, stream } = await startTable();
    await (way === 'streamed' ? stream() : complete());
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
