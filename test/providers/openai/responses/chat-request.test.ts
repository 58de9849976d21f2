import { describe, expect, it } from 'vitest';
import { type Asked, AT_OPENAI, ELSEWHERE, requested, USER } from './chat-over-responses.fixture.js';

const ON = { isEnabled: true, effort: null, maxTokens: null } as const;

async function sentOf(asked: Asked) {
  const { sent } = await requested(asked);
  const { model, input, store, ...rest } = sent;
  return rest;
}

const ENCRYPTED = { include: ['reasoning.encrypted_content'] };

describe('a chat that is sent as a Responses request', () => {
  it('has the model, the conversation, and nothing that is stored', async () => {
    const { sent, adapted } = await requested({});
    expect(sent).toEqual({
      model: 'gpt-5-pro',
      input: [{ type: 'message', role: 'user', content: 'Hello' }],
      store: false,
      ...ENCRYPTED,
    });
    expect(adapted).toEqual({});
  });

  it('is streamed without padding where the host has a switch for it', async () => {
    expect(await sentOf({ isStreamed: true })).toEqual({
      ...ENCRYPTED,
      stream: true,
      stream_options: { include_obfuscation: false },
    });
    expect(await sentOf({ isStreamed: true, provider: ELSEWHERE })).toEqual({ stream: true });
  });

  it('has members of the same meaning by the names of the API', async () => {
    const same = {
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      prompt_cache_key: 'k',
      safety_identifier: 's',
      service_tier: 'flex',
      user: 'u',
      truncation: 'auto',
    };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const { sent, adapted } = await requested({
      body: { ...same, tools, verbosity: 'low', max_completion_tokens: 500 },
    });
    expect(sent).toMatchObject({ ...same, text: { verbosity: 'low' }, max_output_tokens: 500 });
    expect(adapted).toEqual({});
    const sampled = await requested({
      model: 'gpt-4.1',
      body: { temperature: 0.5, top_p: 0.9, logprobs: true, top_logprobs: 3 },
    });
    expect(sampled.sent).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 3,
      include: ['message.output_text.logprobs'],
    });
    expect(sampled.adapted).toEqual({});
  });

  it('tells what has no place in the API', async () => {
    const strangers = { stop: ['a'], seed: 1, logit_bias: { 1: 1 }, prediction: {}, frequency_penalty: 1 };
    const { sent, adapted } = await requested({
      model: 'gpt-4.1',
      body: { ...strangers, presence_penalty: 0, n: 3 },
    });
    for (const name of Object.keys(strangers)) expect(sent).not.toHaveProperty(name);
    expect(adapted).toEqual({
      stop: 'left_out',
      seed: 'left_out',
      logit_bias: 'left_out',
      prediction: 'left_out',
      frequency_penalty: 'left_out',
      n: 'changed',
    });
  });

  it('asks for at least as many tokens as OpenAI takes, and tells that', async () => {
    const short = await requested({ body: { max_tokens: 1 } });
    expect(short.sent.max_output_tokens).toBe(16);
    expect(short.adapted).toEqual({ max_tokens: 'changed' });
    const elsewhere = await requested({ body: { max_tokens: 1 }, provider: ELSEWHERE });
    expect(elsewhere.sent.max_output_tokens).toBe(1);
  });

  it('tells that answers are text alone', async () => {
    const audio = await requested({ body: { modalities: ['text', 'audio'], audio: { voice: 'alloy' } } });
    expect(audio.adapted).toEqual({ modalities: 'left_out', audio: 'left_out' });
    expect((await requested({ body: { modalities: ['text'] } })).adapted).toEqual({});
  });

  it('stores nothing, and tells a chat that wants to be stored', async () => {
    const { sent, adapted } = await requested({ body: { store: true } });
    expect(sent.store).toBe(false);
    expect(adapted).toEqual({ store: 'left_out' });
  });
});

describe('what a chat asks of reasoning, in a Responses request', () => {
  it('is the effort, and a summary that a person can read', async () => {
    expect(await sentOf({ model: 'gpt-5.2-pro', reasoning: { ...ON, effort: 'high' } })).toEqual({
      ...ENCRYPTED,
      reasoning: { effort: 'high', summary: 'auto' },
    });
    expect(await sentOf({ reasoning: ON })).toEqual({ ...ENCRYPTED, reasoning: { summary: 'auto' } });
  });

  it('is no summary where nobody is to see one', async () => {
    const hidden = { reasoning: { effort: 'high', exclude: true } };
    expect(await sentOf({ body: hidden, reasoning: { ...ON, effort: 'high' } })).toEqual({
      ...ENCRYPTED,
      reasoning: { effort: 'high' },
    });
    expect(
      await sentOf({ model: 'gpt-5.2-pro', reasoning: { isEnabled: false, effort: null, maxTokens: null } }),
    ).toEqual({ ...ENCRYPTED, reasoning: { effort: 'none' } });
  });

  it('is the nearest effort that the model has', async () => {
    const { sent, adapted } = await requested({ reasoning: { ...ON, effort: 'low' } });
    expect(sent.reasoning).toEqual({ effort: 'high', summary: 'auto' });
    expect(adapted).toEqual({ reasoning: 'changed' });
  });

  it('is nothing to a model that does not reason', async () => {
    expect(await sentOf({ model: 'gpt-4.1', reasoning: ON })).toEqual({});
    expect(await sentOf({ model: 'gpt-4.1' })).toEqual({});
  });

  it('is no summary and nothing encrypted where the catalogue says that the host refuses it', async () => {
    const quirks = { members: { 'reasoning.summary': null, 'reasoning.encrypted_content': null } };
    expect(await sentOf({ reasoning: { ...ON, effort: 'high' }, endpoint: { quirks } })).toEqual({
      reasoning: { effort: 'high' },
    });
  });
});

describe('tools of a chat, in a Responses request', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } } };

  it('have their members beside the type, and are strict only where the chat says so', async () => {
    const tools = [
      { type: 'function', function: { name: 'f', description: 'F', parameters } },
      { type: 'function', function: { name: 'g' } },
      {
        type: 'function',
        function: {
          name: 'h',
          strict: true,
          parameters: { ...parameters, required: ['a'], additionalProperties: false },
        },
      },
      {
        type: 'custom',
        custom: {
          name: 'c',
          description: 'C',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    ];
    const { tools: sent } = await sentOf({ body: { tools } });
    expect(sent).toEqual([
      { type: 'function', name: 'f', description: 'F', parameters, strict: false },
      { type: 'function', name: 'g', parameters: { type: 'object', properties: {} }, strict: false },
      {
        type: 'function',
        name: 'h',
        parameters: { ...parameters, required: ['a'], additionalProperties: false },
        strict: true,
      },
      {
        type: 'custom',
        name: 'c',
        description: 'C',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
    ]);
  });

  it.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'c' } },
      { type: 'custom', name: 'c' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
    ],
  ])('are chosen by %j as by %j', async (tool_choice, expected) => {
    const tools = [
      { type: 'function', function: { name: 'f' } },
      { type: 'custom', custom: { name: 'c' } },
    ];
    const sent = await sentOf({ body: { tools, tool_choice } });
    expect(sent.tool_choice).toEqual(expected);
  });

  it('may be functions in the older way', async () => {
    const body = { functions: [{ name: 'f', parameters }], function_call: { name: 'f' } };
    expect(await sentOf({ body })).toMatchObject({
      tools: [{ type: 'function', name: 'f', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'f' },
    });
  });

  it('may stand beside reasoning, which chats of newer models refuse', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const { sent, adapted } = await requested({
      model: 'gpt-5.4-pro',
      body: { tools },
      reasoning: { ...ON, effort: 'high' },
    });
    expect(sent.reasoning).toEqual({ effort: 'high', summary: 'auto' });
    expect(adapted).toEqual({});
  });

  it("are the host's search for web_search_options, with an end", async () => {
    const web_search_options = {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { country: 'CH' } },
    };
    const { sent, adapted } = await requested({ body: { web_search_options } });
    expect(sent).toMatchObject({
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: { type: 'approximate', country: 'CH' },
        },
      ],
      max_tool_calls: 10,
    });
    expect(adapted).toEqual({});
  });

  it('have a search for models that do nothing without one', async () => {
    const model = 'o4-mini-deep-research';
    expect(await sentOf({ model })).toMatchObject({
      tools: [{ type: 'web_search_preview' }],
      max_tool_calls: 100,
    });
    const tools = [{ type: 'file_search', vector_store_ids: ['vs_1'] }];
    expect((await sentOf({ model, body: { tools } })).tools).toEqual(tools);
  });
});

describe('the form of the answer to a chat, in a Responses request', () => {
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

  it.each([
    [{ type: 'text' }, { type: 'text' }],
    [
      { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
      { type: 'json_schema', name: 'n', schema, strict: true },
    ],
  ])('%j is %j', async (response_format, format) => {
    expect(await sentOf({ body: { response_format } })).toMatchObject({ text: { format } });
  });

  it('is JSON where the conversation speaks of it, and is told to where it does not', async () => {
    const response_format = { type: 'json_object' };
    const { sent } = await requested({ body: { response_format } });
    expect(sent.text).toEqual({ format: { type: 'json_object' } });
    expect(JSON.stringify(sent.input)).toContain('JSON');
    const speaking = await requested({
      body: { response_format, messages: [{ ...USER, content: 'In JSON, please' }] },
      provider: AT_OPENAI,
    });
    expect(speaking.sent.input).toEqual([{ type: 'message', role: 'user', content: 'In JSON, please' }]);
  });
});
