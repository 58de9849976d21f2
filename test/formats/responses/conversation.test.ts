import { describe, expect, it } from 'vitest';
import { call, called, chatOf, messagesOf, read, result, said, user } from './reader.fixture.js';

describe('instructions and messages', () => {
  it('begin with the instructions, whatever the input', () => {
    expect(chatOf({ instructions: 'Be kind.', input: 'Hi' }).messages).toEqual([
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('stay where they are, with or without a type, and with members of answers', () => {
    expect(
      messagesOf(
        { role: 'system', content: 'S' },
        { role: 'user', content: 'U' },
        { ...said('A'), status: 'completed', phase: 'commentary' },
        { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        user('V'),
      ),
    ).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'A' },
      { role: 'developer', content: 'D' },
      { role: 'user', content: 'V' },
    ]);
  });

  it('that say nothing are left out', () => {
    expect(messagesOf({ role: 'user', content: '' }, { role: 'assistant', content: [] }, user('V'))).toEqual([
      { role: 'user', content: 'V' },
    ]);
  });

  it('of the assistant in a row are one message, with what it refused', () => {
    const refused = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] };
    expect(messagesOf(user('U'), said('A'), said('B'), refused)).toEqual([
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'A\n\nB', refusal: 'No.' },
    ]);
  });

  it.each([
    ['a role that nobody has', { role: 'critic', content: 'x' }, 'input[0].role'],
    ['no role', { type: 'message', content: 'x' }, 'input[0].role'],
    ['neither type nor role', { content: 'x' }, 'input[0]'],
    ['no object', 'x', 'input[0]'],
    ['a content that is none', { role: 'user', content: { text: 'x' } }, 'input[0].content'],
    ['a part without a type', { role: 'user', content: [{ text: 'x' }] }, 'input[0].content[0]'],
    [
      'an image without data',
      { role: 'user', content: [{ type: 'input_image' }] },
      'input[0].content[0].image_url',
    ],
    ['a call without an id', { type: 'function_call', name: 'f' }, 'input[0].call_id'],
    ['a call without a name', { type: 'function_call', call_id: 'c' }, 'input[0].name'],
  ])('with %s are refused where they are wrong', (_, item, field) => {
    expect(read({ input: [item] }).violations).toMatchObject([{ field }]);
  });
});

describe('parts', () => {
  const PNG = 'data:image/png;base64,iVBORw0KGgo=';

  it.each([
    [
      { type: 'input_image', image_url: PNG, detail: 'low' },
      { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
    ],
    [
      { type: 'input_image', image_url: { url: PNG } },
      { type: 'image_url', image_url: { url: PNG } },
    ],
    [
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ],
    [
      { type: 'input_file', file_url: 'https://e.example/a.pdf' },
      { type: 'file', file: { filename: 'document.pdf', file_data: 'https://e.example/a.pdf' } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    ],
  ])('%j are those of chats', (part, expected) => {
    expect(messagesOf({ role: 'user', content: [{ type: 'input_text', text: 'T' }, part] })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'T' }, expected] },
    ]);
  });

  it.each([
    { type: 'input_image', file_id: 'file-1' },
    { type: 'input_file', file_id: 'file-1' },
  ])('%j need the provider that has the file', (part) => {
    expect(read({ input: [{ role: 'user', content: [part] }] })).toMatchObject({
      nativeOnly: ['file_id'],
      violations: [],
    });
  });

  it('that are unknown are replaced by what there is to read in them, and named', () => {
    const { chat, omitted, violations } = read({
      input: [{ role: 'user', content: [{ type: 'quote', title: 'T', text: 'words' }, { type: 'blob' }] }],
    });
    expect({ messages: chat.messages, omitted, violations }).toEqual({
      messages: [{ role: 'user', content: 'T\nwords' }],
      omitted: ['quote', 'blob'],
      violations: [],
    });
  });
});

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

describe('items that chats do not have', () => {
  it.each([
    [
      'what an agent tells another',
      {
        type: 'agent_message',
        author: '/root',
        content: [
          { type: 'input_text', text: 'Payload:\n' },
          { type: 'encrypted_content', encrypted_content: 'List the files.' },
        ],
      },
      [{ role: 'user', content: 'Payload:\nList the files.' }],
      [],
    ],
    [
      'what an agent tells another, encrypted',
      {
        type: 'agent_message',
        content: [{ type: 'encrypted_content', encrypted_content: `gAAAA${'Ab9_-'.repeat(20)}==` }],
      },
      [],
      ['encrypted_content', 'agent_message'],
    ],
    ['what an agent thought', { type: 'agent_reasoning', text: 'Hm.' }, [], ['agent_reasoning']],
    ['a reference', { type: 'item_reference', id: 'msg_1' }, [], ['item_reference']],
    ['a wish to compact', { type: 'compaction_trigger' }, [], ['compaction_trigger']],
    [
      'a search of the host',
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'weather' } },
      [{ role: 'assistant', content: 'weather' }],
      ['web_search_call'],
    ],
    [
      'a command that the client ran',
      {
        type: 'shell_call_output',
        call_id: 'c',
        output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit' } }],
      },
      [{ role: 'user', content: '[{"stdout":"a.txt","stderr":"","outcome":{"type":"exit"}}]' }],
      ['shell_call_output'],
    ],
    [
      'what is new, with a text',
      { type: 'acme:note', text: 'Remember.' },
      [{ role: 'user', content: 'Remember.' }],
      ['acme:note'],
    ],
    ['what is new, without any', { type: 'acme:state', data: { x: 1 } }, [], ['acme:state']],
    [
      'a picture that was made',
      { type: 'image_generation_call', result: 'iVBOR' },
      [],
      ['image_generation_call'],
    ],
  ])('%s', (_, item, messages, omitted) => {
    const found = read({ input: [item] });
    expect({ messages: found.chat.messages, omitted: found.omitted, violations: found.violations }).toEqual({
      messages,
      omitted,
      violations: [],
    });
  });

  it('a conversation that another provider has compacted is refused, since it can’t be read', () => {
    const compacted = { type: 'compaction', id: 'cmp_1', encrypted_content: `gAAAA${'Ab9_-'.repeat(20)}==` };
    expect(read({ input: [compacted, user('U')] }).violations).toMatchObject([
      { field: 'input[0]', rule: 'unsupported' },
    ]);
    expect(messagesOf({ ...compacted, encrypted_content: 'They spoke of cats.' })).toEqual([
      { role: 'user', content: 'They spoke of cats.' },
    ]);
  });
});
