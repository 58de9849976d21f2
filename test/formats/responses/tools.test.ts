import { describe, expect, it } from 'vitest';
import { chatOf, read } from './reader.fixture.js';

const NO_PARAMETERS = { type: 'object', properties: {} };
const A = { type: 'function', name: 'a', parameters: NO_PARAMETERS };
const B = { type: 'function', name: 'b', parameters: NO_PARAMETERS };
const PATCH = { type: 'custom', name: 'apply_patch', description: 'Edits.' };
const AGENTS = { type: 'namespace', name: 'agents', description: 'Of agents.', tools: [A] };
const SEARCH = { type: 'web_search', external_web_access: false };

function inChat(name: string) {
  return { type: 'function', function: { name, parameters: NO_PARAMETERS } };
}

describe('tools', () => {
  it('are functions, flat or nested, whose schema may be missing', () => {
    const parameters = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] };
    expect(
      chatOf({
        tools: [
          { type: 'function', name: 'a', description: 'A.', parameters, strict: true, defer_loading: true },
          { type: 'function', name: 'b', parameters: null, strict: null },
          { type: 'function', function: { name: 'c', parameters } },
        ],
      }).tools,
    ).toEqual([
      { type: 'function', function: { name: 'a', description: 'A.', parameters, strict: true } },
      inChat('b'),
      { type: 'function', function: { name: 'c', parameters } },
    ]);
  });

  it('that take a text are functions of one text, which are told its grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    const { chat, rules } = read({ tools: [PATCH, { ...PATCH, name: 'g', format }] });
    expect(chat.tools).toMatchObject([
      {
        type: 'function',
        function: { name: 'apply_patch', description: 'Edits.', parameters: { required: ['input'] } },
      },
      { function: { description: 'Edits.\n\nThe input has to match this grammar (lark):\nstart: "x"' } },
    ]);
    expect(rules.toolNames.toolOf('g')).toEqual({ kind: 'custom', name: 'g', namespace: null });
  });

  it('of a namespace are functions with its name, and are its again in the answer', () => {
    const { chat, rules } = read({ tools: [AGENTS, A] });
    expect(chat.tools).toMatchObject([
      { function: { name: 'agents__a', description: 'Of agents.' } },
      { function: { name: 'a' } },
    ]);
    expect(rules.toolNames.toolOf('agents__a')).toEqual({ kind: 'function', name: 'a', namespace: 'agents' });
    expect(rules.toolNames.toolOf('a')).toEqual({ kind: 'function', name: 'a', namespace: null });
    expect(rules.toolNames.toolOf('z')).toEqual({ kind: 'function', name: 'z', namespace: null });
  });

  it('with long names have the same short one in every place', () => {
    const namespace = 'n'.repeat(40);
    const name = 'm'.repeat(40);
    const { chat, rules } = read({
      tools: [{ ...AGENTS, name: namespace, tools: [{ ...A, name }] }],
      input: [{ type: 'function_call', call_id: '1', namespace, name, arguments: '{}' }],
    });
    const [tool] = chat.tools ?? [];
    const short = String(tool?.function?.name);
    expect(short).toMatch(/^n{40}__m{13}_[0-9a-f]{8}$/);
    expect(chat.messages[0]?.tool_calls?.[0]?.function?.name).toBe(short);
    expect(rules.toolNames.toolOf(short)).toEqual({ kind: 'function', name, namespace });
  });

  it('may come with the input, and may be said again', () => {
    expect(
      chatOf({
        tools: [A, { ...B, description: 'Old.' }],
        input: [
          { type: 'additional_tools', role: 'developer', tools: [{ ...B, description: 'New.' }] },
          { role: 'user', content: 'Hi' },
        ],
      }).tools,
    ).toMatchObject([{ function: { name: 'a' } }, { function: { name: 'b', description: 'New.' } }]);
  });

  it.each([
    ['two kinds', [A, { type: 'custom', name: 'a' }], 'tools[1].name'],
    ['a name and one in a namespace', [{ ...A, name: 'agents__a' }, AGENTS], 'tools[1].tools[0].name'],
    ['no name', [{ type: 'function' }], 'tools[0].name'],
  ])('of %s are refused by name', (_, tools, field) => {
    expect(read({ tools }).violations).toMatchObject([{ field }]);
  });

  it('that hosts run, and those that are new, are left out and named, and exclude no endpoint', () => {
    const types = [
      ...['web_search', 'web_search_preview', 'image_generation', 'tool_search', 'local_shell', 'shell'],
      ...['computer_use_preview', 'code_interpreter', 'file_search', 'mcp', 'apply_patch', 'acme:new'],
    ];
    const found = read({ tools: [A, ...types.map((type) => ({ type }))], tool_choice: 'auto' });
    expect(found).toMatchObject({ omitted: types, nativeOnly: [], violations: [] });
    expect(found.chat).toMatchObject({ tools: [inChat('a')], tool_choice: 'auto' });
  });
});

describe('a choice of tools', () => {
  it.each([
    ['auto', { tool_choice: 'auto' }],
    ['none', { tool_choice: 'none' }],
    ['required', { tool_choice: 'required' }],
    [{ type: 'function', name: 'b' }, { tool_choice: { type: 'function', function: { name: 'b' } } }],
    [
      { type: 'function', name: 'a', namespace: 'agents' },
      { tool_choice: { type: 'function', function: { name: 'agents__a' } } },
    ],
    [
      { type: 'custom', name: 'apply_patch' },
      { tool_choice: { type: 'function', function: { name: 'apply_patch' } } },
    ],
  ])('%j', (tool_choice, expected) => {
    expect(chatOf({ tools: [A, B, PATCH, AGENTS], tool_choice })).toMatchObject(expected);
  });

  it.each([
    ['auto', undefined],
    ['auto', 'auto'],
    ['required', 'required'],
  ])('of some tools leaves only those, %s', (expected, mode) => {
    const allowed = [{ type: 'function', name: 'b' }, { type: 'web_search' }];
    const tool_choice = { type: 'allowed_tools', tools: allowed, ...(mode && { mode }) };
    expect(chatOf({ tools: [A, B, SEARCH], tool_choice })).toMatchObject({
      tools: [inChat('b')],
      tool_choice: expected,
    });
  });

  it.each([
    ['no tools', { tools: [], tool_choice: 'auto' }],
    ['no tools, though one is asked for', { tools: [], tool_choice: 'required' }],
    ['none that a chat can have', { tools: [SEARCH], tool_choice: 'auto' }],
    [
      'none that are allowed',
      { tools: [A], tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'z' }] } },
    ],
  ])('is left out where there are %s, and so is whether they run at once', (_, more) => {
    const chat = chatOf({ ...more, parallel_tool_calls: false });
    expect(Object.keys(chat)).toEqual(['model', 'messages']);
  });

  it.each([
    ['a search', { type: 'web_search' }, [A, SEARCH]],
    ['a server', { type: 'mcp', server_label: 's' }, [A]],
    ['any tool, where there is but a search', 'required', [SEARCH]],
    [
      'any of some, which are searches',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
      [A, SEARCH],
    ],
    ['a function that is not there', { type: 'function', name: 'z' }, [A]],
  ])('that forces %s can’t be made of a chat', (_, tool_choice, tools) => {
    expect(read({ tools, tool_choice }).violations).toMatchObject([{ field: 'tool_choice' }]);
  });

  it('leaves several calls at once to the model, unless they are forbidden', () => {
    expect(chatOf({ tools: [A], parallel_tool_calls: true })).not.toHaveProperty('parallel_tool_calls');
    expect(chatOf({ tools: [A], parallel_tool_calls: false })).toMatchObject({ parallel_tool_calls: false });
  });
});
