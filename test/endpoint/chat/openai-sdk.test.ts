import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { keyRecord } from '../../support/money.js';
import { chunksOf, messages, REQUEST, startSdk } from '../../support/openai-sdk.js';
import { CONTENT, TOKEN_USD } from '../../support/providers.js';

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const tools = ['weather', 'time'].map((name): OpenAI.ChatCompletionTool => {
  return { type: 'function', function: { name, parameters: CITY, strict: true } };
});

/** Two tool calls in one answer, as OpenAI streams them: one after the other. */
const TWO_CALLS = [
  { role: 'assistant', content: null },
  {
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }],
  },
  { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
  { tool_calls: [{ index: 0, function: { arguments: '"Zürich"}' } }] },
  { tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'time', arguments: '' } }] },
  { tool_calls: [{ index: 1, function: { arguments: '{"city":"Bern"}' } }] },
];

describe('the openai SDK, unmodified, in front of a provider', () => {
  it('gets a completion, and a stream that its own helper assembles to the same', async () => {
    const { gateway, openai } = await startSdk();
    const whole = await openai.chat.completions.create(REQUEST);
    const streamed = await openai.chat.completions.stream(REQUEST).finalChatCompletion();
    for (const { choices, usage, model } of [whole, streamed]) {
      expect(choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { role: 'assistant', content: CONTENT },
      });
      expect(usage).toMatchObject({ completion_tokens: 4, cost: 4 * TOKEN_USD.alpha });
      expect(model).toBe('test/m');
    }
    expect(await keyRecord(gateway)).toMatchObject({ usage: 8 * TOKEN_USD.alpha });
  });

  it('gets parallel tool calls, streamed and in one piece, and sends their results', async () => {
    const { gateway, openai } = await startSdk();
    const function_ = (name: string, city: string) => ({ name, arguments: JSON.stringify({ city }) });
    const tool_calls = [
      { id: 'call_1', type: 'function', function: function_('weather', 'Zürich') },
      { id: 'call_2', type: 'function', function: function_('time', 'Bern') },
    ] as const;
    const message = { role: 'assistant', content: null, refusal: null, tool_calls };
    gateway.alpha.plan('m', {
      chunks: chunksOf(TWO_CALLS, 'tool_calls'),
      answer: { id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: {} },
    });
    const request = { ...REQUEST, tools, parallel_tool_calls: true };
    const whole = await openai.chat.completions.create(request);
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject(tool_calls);
    }
    gateway.alpha.plan('m', {});
    const calling = whole.choices[0]?.message;
    if (calling === undefined) throw new Error('no message');
    const results = tool_calls.map(({ id }): OpenAI.ChatCompletionToolMessageParam => {
      return { role: 'tool', tool_call_id: id, content: '21' };
    });
    const answer = await openai.chat.completions.create({
      ...request,
      messages: [...messages, calling, ...results],
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: CONTENT } });
    const sent = gateway.alpha.requests.at(-1)?.body.messages;
    expect(sent?.slice(1)).toMatchObject([{ role: 'assistant', tool_calls }, ...results]);
  });

  it('gets structured output, parsed by its own helper', async () => {
    const { gateway, openai } = await startSdk();
    gateway.alpha.plan('m', { words: ['{"city":', '"Zürich"', '}'] });
    const json_schema = { name: 'place', schema: CITY, strict: true };
    const request = { ...REQUEST, response_format: { type: 'json_schema' as const, json_schema } };
    const whole = await openai.chat.completions.parse(request);
    expect(JSON.parse(whole.choices[0]?.message.content ?? '')).toEqual({ city: 'Zürich' });
    expect(gateway.alpha.requests[0]?.body.response_format).toEqual(request.response_format);
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    expect(JSON.parse(streamed.choices[0]?.message.content ?? '')).toEqual({ city: 'Zürich' });
  });

  it('sends a call back as its own helper has parsed it', async () => {
    const { gateway, openai } = await startSdk();
    gateway.alpha.plan('m', { tool: { name: 'weather', input: { city: 'Zürich' } } });
    const { choices } = await openai.chat.completions.parse({ ...REQUEST, tools });
    const calling = choices[0]?.message;
    const [call] = calling?.tool_calls ?? [];
    if (calling === undefined || call === undefined) throw new Error('no call');
    expect(call.function).toHaveProperty('parsed_arguments', { city: 'Zürich' });
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '21' };
    const answer = await openai.chat.completions.create({
      ...{ ...REQUEST, tools },
      messages: [...messages, calling, result],
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: CONTENT } });
    const { name, arguments: text } = call.function;
    const sent = { ...call, function: { name, arguments: text } };
    expect(gateway.alpha.requests.at(-1)?.body.messages?.[1]).toMatchObject({ tool_calls: [sent] });
  });

  it('lists models', async () => {
    const { openai } = await startSdk();
    const ids: string[] = [];
    for await (const { id, created } of openai.models.list()) {
      ids.push(id);
      expect(created).toBeGreaterThan(0);
    }
    expect(ids).toEqual(expect.arrayContaining(['test/m', 'test/n']));
  });
});
