import { describe, expect, it } from 'vitest';
import { call, called, messagesOf, result, said, user } from './reader.fixture.js';

describe('calls and their outputs', () => {
  it('are one message of the assistant with what it said and thought before, by the id of the call', () => {
    expect(
      messagesOf(
        user('U'),
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        said('I look.'),
        called('1', 'look', '{"a":1}'),
        called('2'),
        result('1', 'one'),
        result('2', 'two'),
        said('Both.'),
      ),
    ).toEqual([
      { role: 'user', content: 'U' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [call('1', 'look', '{"a":1}'), call('2')],
        reasoning: 'Hm.',
      },
      { role: 'tool', tool_call_id: '1', content: 'one' },
      { role: 'tool', tool_call_id: '2', content: 'two' },
      { role: 'assistant', content: 'Both.' },
    ]);
  });

  it('stand next to each other, whatever was said in between', () => {
    expect(messagesOf(called('1'), user('Wait!'), said('Yes?'), result('1'), user('Go on.'))).toEqual([
      { role: 'assistant', content: null, tool_calls: [call('1')] },
      { role: 'tool', tool_call_id: '1', content: 'done' },
      { role: 'user', content: 'Wait!' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('one after the other are turns of their own', () => {
    expect(messagesOf(called('1'), result('1'), called('2'), result('2'))).toMatchObject([
      { tool_calls: [{ id: '1' }] },
      { tool_call_id: '1' },
      { tool_calls: [{ id: '2' }] },
      { tool_call_id: '2' },
    ]);
  });

  it('with an id that is used again belong to the latest call', () => {
    expect(
      messagesOf(called('1'), result('1', 'a'), called('1'), result('1', 'b')).map(({ role, content }) => [
        role,
        content,
      ]),
    ).toEqual([
      ['assistant', null],
      ['tool', 'a'],
      ['assistant', null],
      ['tool', 'b'],
    ]);
  });

  it.each([
    ['a text', 'x', 'x'],
    ['nothing', null, ''],
    [
      'texts',
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_text', text: 'b' },
      ],
      'a\nb',
    ],
    [
      'an image',
      [{ type: 'input_image', image_url: 'https://e.example/a.png' }],
      [{ type: 'image_url', image_url: { url: 'https://e.example/a.png' } }],
    ],
    ['an object', { ok: true }, '{"ok":true}'],
    ['a list of anything', [1, { a: 2 }], '[1,{"a":2}]'],
    ['a number', 7, '7'],
  ])('give %s', (_, output, content) => {
    expect(messagesOf(called('1'), result('1', output)).at(-1)).toEqual({
      role: 'tool',
      tool_call_id: '1',
      content,
    });
  });

  it('of custom tools are calls with the input as their only argument', () => {
    expect(
      messagesOf(
        { type: 'custom_tool_call', call_id: '1', name: 'apply_patch', input: '*** Begin "Patch"' },
        { type: 'custom_tool_call_output', call_id: '1', output: 'ok' },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('1', 'apply_patch', '{"input":"*** Begin \\"Patch\\""}')],
      },
      { role: 'tool', tool_call_id: '1', content: 'ok' },
    ]);
  });

  it('in a namespace have its name before theirs', () => {
    const [message] = messagesOf({ ...called('1', 'spawn_agent'), namespace: 'multi_agent_v1' });
    expect(message?.tool_calls).toEqual([call('1', 'multi_agent_v1__spawn_agent')]);
  });

  it('an output without the id of a call is what the user says', () => {
    expect(messagesOf({ type: 'function_call_output', output: 'Build failed.' })).toEqual([
      { role: 'user', content: 'Build failed.' },
    ]);
  });
});
