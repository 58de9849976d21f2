/**
 * Calls in the older way, in which some servers answer though they were given tools:
 * https://github.com/QwenLM/qwen-code/pull/6240, https://github.com/MeetKai/functionary/issues/156.
 */
import { describe, expect, it } from 'vitest';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import { chunk, startTable } from './adapter.fixture.js';

const CALLED = { name: 'look', arguments: '{"at":"it"}' };
const NEWER = [{ id: 'c1', type: 'function', function: CALLED }];
const TOOLS: Partial<ChatBody> = { tools: [{ type: 'function', function: { name: 'look' } }] };
const FUNCTIONS: Partial<ChatBody> = { functions: [{ name: 'look' }] };

const answered = (message: object) => ({
  answer: {
    choices: [
      { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'function_call' },
    ],
  },
});
const STREAMED = {
  chunks: [
    chunk({ role: 'assistant', function_call: { name: 'look', arguments: '' } }),
    chunk({ function_call: { arguments: '{"at":' } }),
    chunk({ function_call: { arguments: '"it"}' } }),
    chunk({}, 'function_call'),
  ],
};

describe('a call in the older way', () => {
  it.each([
    ['alone', { function_call: CALLED }],
    ['beside the same in the newer', { function_call: CALLED, tool_calls: NEWER }],
  ])('%s is one of tools for who gave tools', async (_, message) => {
    const { complete } = await startTable(answered(message));
    const { choices } = await complete({ body: TOOLS });
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(choices[0]?.message).not.toHaveProperty('function_call');
    expect(choices[0]?.message.tool_calls).toEqual([
      { id: expect.stringMatching(/./), type: 'function', function: CALLED },
    ]);
  });

  it('is so in a stream too', async () => {
    const { stream } = await startTable(STREAMED);
    const { events } = await stream({ body: TOOLS });
    const calls = events.flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []));
    expect(calls[0]).toMatchObject({ index: 0, id: expect.stringMatching(/./), function: { name: 'look' } });
    expect(calls.map((call) => call.function?.arguments ?? '').join('')).toBe(CALLED.arguments);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
  });

  it('stays as it is for who gave functions', async () => {
    const whole = await startTable(answered({ function_call: CALLED }));
    const { choices } = await whole.complete({ body: FUNCTIONS });
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { function_call: CALLED } });
    const { stream } = await startTable(STREAMED);
    const { events } = await stream({ body: FUNCTIONS });
    const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
    expect(deltas.flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual([]);
    expect(deltas.some(({ function_call }) => function_call !== undefined)).toBe(true);
  });
});
