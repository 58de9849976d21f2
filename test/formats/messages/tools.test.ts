import { describe, expect, it } from 'vitest';
import { chatOf, MARK, read } from './reader.fixture.js';

describe('tools', () => {
  const LONG = `mcp__${'a'.repeat(100)}`;

  it('are functions', () => {
    const input_schema = { type: 'object', properties: { at: { type: 'string' } } };
    const tools = [
      { name: 'look', description: 'Looks.', input_schema, ...MARK },
      { type: 'custom', name: 'wait', input_schema: { type: 'object' }, strict: true },
      { name: 'bare' },
    ];
    expect(chatOf({ tools }).tools).toEqual([
      {
        type: 'function',
        function: { name: 'look', description: 'Looks.', parameters: input_schema },
        ...MARK,
      },
      { type: 'function', function: { name: 'wait', parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('are strict where their schema is one that every host takes as strict', () => {
    const open = {
      type: 'object',
      properties: { a: { type: 'object', properties: {} } },
      required: ['a'],
      additionalProperties: false,
    };
    const closed = { ...open, properties: { a: { type: 'string' } } };
    const tools = [open, closed].map((input_schema) => ({ name: 'look', input_schema, strict: true }));
    expect(chatOf({ tools }).tools?.map((tool) => tool.function?.strict)).toEqual([undefined, true]);
  });

  it('are there from the start: what finds them is left out, and what else a chat can’t say of them', () => {
    const tools = [
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { name: 'look', defer_loading: true, input_examples: [{ at: 'x' }], eager_input_streaming: true },
    ];
    const { chat, omitted, nativeOnly } = read({ tools });
    expect(chat.tools).toHaveLength(1);
    expect(omitted).toEqual([
      'tool_search_tool_regex_20251119',
      'defer_loading',
      'input_examples',
      'eager_input_streaming',
    ]);
    expect(nativeOnly).toEqual([]);
  });

  it('have names of at most 64 characters, the same in calls and choices, and get their own back', () => {
    const { chat, rules } = read({
      tools: [{ name: LONG }, { name: `${LONG}b` }, { name: 'short' }],
      tool_choice: { type: 'tool', name: LONG },
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: LONG, input: {} }] }],
    });
    const names = chat.tools?.map((tool) => String(tool.function?.name)) ?? [];
    expect(names.map(({ length }) => length)).toEqual([64, 64, 5]);
    expect(new Set(names).size).toBe(3);
    expect(chat.tool_choice).toEqual({ type: 'function', function: { name: names[0] } });
    expect(chat.messages[0]?.tool_calls?.[0]?.function?.name).toBe(names[0]);
    expect(names.map((name) => rules.toolNames.restore(name))).toEqual([LONG, `${LONG}b`, 'short']);
  });

  it.each([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'look' }, { tool_choice: { type: 'function', function: { name: 'look' } } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'new' }, {}],
  ])('are chosen by %j', (tool_choice, expected) => {
    const { tools, messages, model, max_tokens, ...rest } = chatOf({
      tools: [{ name: 'look' }],
      tool_choice,
    });
    expect(rest).toEqual(expected);
  });

  it('can’t be chosen where there are none', () => {
    expect(chatOf({ tools: [], tool_choice: { type: 'auto' } })).not.toHaveProperty('tool_choice');
  });
});
