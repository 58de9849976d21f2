import { describe, expect, it } from 'vitest';
import { chatOf, messagesOf, read, said, user } from './reader.fixture.js';

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

  it('a request to compact is refused, since an answer is none, and left out where it is over', () => {
    const trigger = { type: 'compaction_trigger' };
    expect(read({ input: [user('U'), trigger] }).violations).toMatchObject([
      { field: 'input[1]', rule: 'unsupported' },
    ]);
    const past = read({ input: [trigger, user('U')] });
    expect([past.chat.messages, past.omitted, past.violations]).toEqual([
      [{ role: 'user', content: 'U' }],
      ['compaction_trigger'],
      [],
    ]);
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
