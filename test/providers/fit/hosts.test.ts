import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import { call, calls, contractAt, fitted, result, tool, user } from './chat.fixture.js';

const at = (slug: string, body: Partial<ChatBody>, modelId = 'm', reasoning: Reasoning | null = null) =>
  fitted(body, contractAt(slug, modelId), { reasoning });
type Reasoning = NonNullable<Parameters<typeof fitted>[2]>['reasoning'] & object;
const thinking = (effort: Reasoning['effort']): Reasoning => ({ isEnabled: true, effort, maxTokens: null });
const off: Reasoning = { isEnabled: false, effort: null, maxTokens: null };
const said = (message: object): ChatMessage => ({ role: 'assistant', ...message });

describe('members of a request', () => {
  it.each([
    ['mistral', 'logit_bias', { 1: 1 }],
    ['groq', 'metadata', { run: '1' }],
    ['cerebras', 'top_k', 4],
    ['fireworks', 'verbosity', 'low'],
    ['google-ai-studio', 'seed', 1],
  ])('that %s refuses are left out, and named: %s', (slug, name, value) => {
    const { body, adapted } = at(slug, { [name]: value, temperature: 0.5 });
    expect(body).not.toHaveProperty(name);
    expect(body.temperature).toBe(0.5);
    expect(adapted).toEqual([[name, 'left_out']]);
  });

  it('that say what is so anyway are left out without a word', () => {
    const { body, adapted } = at('groq', { store: false, logprobs: false });
    expect(Object.keys(body)).toEqual(['model', 'messages']);
    expect(adapted).toEqual([]);
  });

  it('metadata go to OpenAI with answers that are stored alone', () => {
    const metadata = { run: '1' };
    expect(at('openai', { metadata, store: true }).body).toMatchObject({ metadata });
    expect(at('openai', { metadata }).adapted).toEqual([['metadata', 'left_out']]);
  });

  it('numbers beyond what the host takes become the nearest that it does', () => {
    expect(at('alibaba', { top_p: 0 }).body.top_p).toBe(0.001);
    expect(at('fireworks', { top_k: 400, top_logprobs: 9 }).body).toMatchObject({
      top_k: 100,
      top_logprobs: 5,
    });
  });

  it('sampling that Kimi has fixed is left out', () => {
    const { body, adapted } = at('moonshotai', { temperature: 0.2, top_p: 1 }, 'moonshotai/kimi-k2.6');
    expect(body).not.toHaveProperty('temperature');
    expect(adapted).toEqual([
      ['temperature', 'left_out'],
      ['top_p', 'left_out'],
    ]);
  });
});

describe('efforts', () => {
  it.each([
    ['openai', 'openai/gpt-5.1', 'xhigh', 'high'],
    ['openai', 'openai/gpt-5.1', 'minimal', 'low'],
    ['openai', 'openai/o3', 'minimal', 'low'],
    ['xai', 'x-ai/grok-4.3', 'max', 'high'],
    ['cerebras', 'm', 'minimal', 'low'],
  ] as const)('that %s %s does not have become the nearest: %s is %s', (slug, model, given, taken) => {
    const { reasoning, adapted } = at(slug, {}, model, thinking(given));
    expect(reasoning?.effort).toBe(taken);
    expect(adapted).toEqual([['reasoning', 'changed']]);
  });

  it('are left out where the model has none', () => {
    const { reasoning, adapted } = at('openai', {}, 'openai/gpt-4o', thinking('low'));
    expect(reasoning).toBeNull();
    expect(adapted).toEqual([['reasoning', 'left_out']]);
    expect(at('openai', {}, 'openai/gpt-4o', off).adapted).toEqual([]);
  });

  it('a model that can’t be stopped thinks as little as it can, and takes no sampling then', () => {
    const { reasoning, body } = at('openai', { temperature: 0.2 }, 'openai/gpt-5-mini', off);
    expect(reasoning).toEqual(thinking('minimal'));
    expect(body).not.toHaveProperty('temperature');
    expect(at('openai', { temperature: 0.2 }, 'openai/gpt-5.1').body.temperature).toBe(0.2);
  });

  it('GPT-5.5 has tools where it does not think', () => {
    const { reasoning } = at('openai', { tools: [tool()] }, 'openai/gpt-5.5', thinking('high'));
    expect(reasoning).toEqual(off);
  });
});

describe('calls and tools', () => {
  it('functions of the older API are tools, their calls and results too', () => {
    const messages = [
      user(),
      said({ content: null, function_call: { name: 'look', arguments: '{}' } }),
      { role: 'function', name: 'look', content: 'sun' },
    ];
    const { body } = at('z-ai', {
      messages,
      functions: [{ name: 'look', parameters: { type: 'object', properties: {} } }],
      function_call: 'auto',
    });
    expect(body.tools).toEqual([tool()]);
    expect(body.tool_choice).toBe('auto');
    expect(body).not.toHaveProperty('functions');
    const [, called, answered] = body.messages;
    expect(called?.tool_calls?.[0]?.function).toEqual({ name: 'look', arguments: '{}' });
    expect(answered).toMatchObject({ role: 'tool', tool_call_id: called?.tool_calls?.[0]?.id });
    expect(at('openai', { messages }).body.messages).toEqual(messages);
  });

  it('a choice of a tool that is not there is left to the model, and one that is known stays', () => {
    const choice = (name: string) => ({ type: 'function', function: { name } });
    const there = at('openai', { tools: [tool()], tool_choice: choice('look') });
    expect(there.body.tool_choice).toEqual(choice('look'));
    const { body, adapted } = at('openai', { tools: [tool()], tool_choice: choice('fly') });
    expect(body.tool_choice).toBe('auto');
    expect(adapted).toEqual([['tool_choice', 'changed']]);
  });

  it('more tools than the host takes are refused, and named', () => {
    const tools = Array.from({ length: 129 }, (_, index) => tool(`look_${index}`));
    expect(() => at('openai', { tools })).toThrow(/^tools: OpenAI takes at most 128/);
  });

  it.each([
    ['', '{}'],
    ['null', '{}'],
    ['["a"]', '["a"]'],
    ['"a"', '{"arguments":"a"}'],
    [' 9007199254740993', '{"arguments":9007199254740993}'],
    ['{"a": "cut', '{"arguments":"{\\"a\\": \\"cut"}'],
  ])('arguments that are no object stand in one whole, at xAI: %s', (given, sent) => {
    const messages = [user(), said({ content: '', tool_calls: [call('a', 'look', given)] }), result('a')];
    const { body } = at('xai', { messages });
    expect(body.messages[1]?.tool_calls?.[0]?.function?.arguments).toBe(sent);
  });

  it('a model without tools reads of calls and results, and is told of no tools', () => {
    const { body, adapted } = at('perplexity', {
      messages: [user(), calls('a'), result('a', 'sun'), user('And?')],
      tools: [tool()],
      tool_choice: 'auto',
    });
    expect(body).toEqual({
      model: 'm',
      messages: [
        user(),
        { role: 'assistant', content: '[Called look with {}]' },
        user('[Result of look:]\nsun\n\nAnd?'),
      ],
    });
    expect(adapted).toContainEqual(['tools', 'left_out']);
  });

  it('names of tools have the characters that Moonshot wants at least', () => {
    const { body, names } = at('moonshotai', { tools: [tool('ls')] });
    expect(body.tools?.[0]?.function?.name).toBe('ls_');
    expect(names.get('ls_')).toBe('ls');
  });

  it('a message with calls has a content at xAI', () => {
    expect(at('xai', { messages: [user(), calls('a'), result('a')] }).body.messages[1]?.content).toBe('');
  });
});

describe('turns at Google', () => {
  const words = said({ content: 'Let me look.' });
  const roles = (messages: readonly ChatMessage[]) => messages.map(({ role }) => role);

  it('calls right after words of the assistant’s are one message with them', () => {
    const { body } = at('google-ai-studio', { messages: [user(), words, calls('a'), result('a')] });
    expect(roles(body.messages)).toEqual(['user', 'assistant', 'tool']);
    expect(body.messages[1]).toMatchObject({ content: 'Let me look.', tool_calls: [call('a')] });
  });

  it('calls that begin a history, or follow a system message, are asked for', () => {
    const system = { role: 'system', content: 'Hurry.' };
    expect(roles(at('google-ai-studio', { messages: [calls('a'), result('a')] }).body.messages)).toEqual([
      ...['user', 'assistant', 'tool'],
    ]);
    const late = [user(), words, system, calls('a'), result('a')];
    expect(roles(at('google-ai-studio', { messages: late }).body.messages)).toEqual([
      ...['user', 'assistant', 'system', 'user', 'assistant', 'tool'],
    ]);
  });
});

describe('schemas', () => {
  const sentAt = (slug: string, parameters: object, strict = false) => {
    const described = { name: 'look', parameters, ...(strict && { strict }) };
    return at(slug, { tools: [{ type: 'function', function: described }] });
  };

  it('a tool whose schema OpenAI can’t hold a model to is not strict, and named', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const { body, adapted } = sentAt('openai', open, true);
    expect(body.tools?.[0]?.function).not.toHaveProperty('strict');
    expect(adapted).toEqual([['tools[0].function.strict', 'left_out']]);
    expect(sentAt('openai', { ...open, required: ['a'] }, true).adapted).toEqual([]);
    expect(sentAt('cerebras', open, true).adapted).toEqual([]);
  });

  it('arrays of anything say so at OpenAI', () => {
    const { body } = sentAt('openai', { type: 'object', properties: { a: { type: 'array' } } });
    expect(body.tools?.[0]?.function?.parameters).toMatchObject({
      properties: { a: { type: 'array', items: {} } },
    });
  });

  it('every schema has a type, and every reference leads to $defs, at Moonshot', () => {
    const schema = {
      $ref: '#/definitions/Args',
      definitions: {
        Args: {
          type: 'object',
          properties: { next: { $ref: '#/definitions/Args' }, any: {}, n: { minimum: 1 } },
        },
      },
    };
    const parameters = sentAt('moonshotai', schema).body.tools?.[0]?.function?.parameters;
    expect(parameters).toMatchObject({
      type: 'object',
      properties: { next: { $ref: '#/$defs/Args' }, n: { type: 'number', minimum: 1 } },
      $defs: { Args: { type: 'object' } },
    });
    expect(JSON.stringify(parameters)).not.toContain('definitions');
  });

  it('objects of an answer are closed at Cerebras, and maps are told in words', () => {
    const form = (schema: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    const open = { type: 'object', properties: { a: { type: 'object', properties: {} } } };
    const { body, adapted } = at('cerebras', form(open));
    expect(body.response_format).toMatchObject({
      json_schema: {
        schema: { additionalProperties: false, properties: { a: { additionalProperties: false } } },
      },
    });
    expect(adapted).toEqual([['response_format.json_schema.schema', 'changed']]);
    const map = { type: 'object', additionalProperties: { type: 'string' } };
    expect(at('cerebras', form(map)).body.response_format).toEqual({ type: 'json_object' });
  });
});

describe('contents', () => {
  const file = (type: string, text: string) => ({
    type: 'file',
    file: { filename: 'a', file_data: `data:${type};base64,${Buffer.from(text).toString('base64')}` },
  });

  it('a file of text is a text where the host takes no files', () => {
    const { body } = at('groq', { messages: [user([file('text/plain', 'Hello')])] });
    expect(body.messages[0]?.content).toEqual([{ type: 'text', text: '[a]\nHello' }]);
  });

  it('a document is one in Mistral’s words, and refused where it can’t be read', () => {
    const messages = [user([file('application/pdf', '%PDF')])];
    expect(at('mistral', { messages }).body.messages[0]?.content).toEqual([
      { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERg==', document_name: 'a' },
    ]);
    expect(() => at('groq', { messages })).toThrow(/^messages\[0\]\.content\[0\]: OpenAI takes no part of/);
  });

  it.each(['groq', 'mistral', 'fireworks', 'deepseek'])(
    'what was refused is what was said, at %s',
    (slug) => {
      const messages = [
        user(),
        said({ content: null, refusal: 'No.', audio: null, function_call: null }),
        user(),
      ];
      expect(at(slug, { messages }).body.messages[1]).toEqual({ role: 'assistant', content: 'No.' });
    },
  );

  it('texts of blanks are none at Moonshot', () => {
    const messages = [user(), said({ content: ' \n' }), user('And?')];
    expect(at('moonshotai', { messages }).body.messages).toEqual([user(), user('And?')]);
  });

  it('the user speaks where the host wants somebody to ask, at Z.ai', () => {
    const messages = [{ role: 'system', content: 'Be kind.' }];
    expect(at('z-ai', { messages }).body.messages).toEqual([...messages, user('.')]);
  });
});

describe('DeepSeek’s thoughts', () => {
  const thought = { ...calls('a'), reasoning: 'Look.' };

  it('come back with calls, and with what is said after them in the same turn', () => {
    const messages = [user(), thought, result('a'), said({ content: 'Sun.', reasoning: 'I saw.' }), user()];
    expect(at('deepseek', { messages }, 'deepseek/deepseek-v4').reasoning).toBeNull();
    const lost = [user(), thought, result('a'), said({ content: 'Sun.' }), user()];
    expect(at('deepseek', { messages: lost }, 'deepseek/deepseek-v4').reasoning).toEqual(off);
  });
});
