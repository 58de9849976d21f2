import { describe, expect, it } from 'vitest';
import { chatOf, MARK, read, said } from './reader.fixture.js';

describe('content of the user', () => {
  it.each([
    ['text', { type: 'text', text: 'Hi' }, 'Hi'],
    ['text with a mark', { type: 'text', text: 'Hi', ...MARK }, [{ type: 'text', text: 'Hi', ...MARK }]],
    [
      'an image',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, ...MARK },
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, ...MARK }],
    ],
    [
      'an image by its address',
      { type: 'image', source: { type: 'url', url: 'https://i/x.png' } },
      [{ type: 'image_url', image_url: { url: 'https://i/x.png' } }],
    ],
    [
      'a PDF',
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      },
      [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }],
    ],
    [
      'a PDF by its address',
      { type: 'document', source: { type: 'url', url: 'https://d/x.pdf' } },
      [{ type: 'file', file: { filename: 'document.pdf', file_data: 'https://d/x.pdf' } }],
    ],
    [
      'a document in text',
      {
        type: 'document',
        title: 'T',
        context: 'C',
        source: { type: 'text', media_type: 'text/plain', data: 'D' },
      },
      'T\n\nC\n\nD',
    ],
    [
      'a document in blocks',
      { type: 'document', title: 'T', source: { type: 'content', content: [{ type: 'text', text: 'D' }] } },
      'T\n\nD',
    ],
    [
      'a search result',
      { type: 'search_result', title: 'T', source: 'https://s', content: [{ type: 'text', text: 'D' }] },
      'T\nhttps://s\nD',
    ],
  ])('%s', (_, block, content) => {
    expect(said(block)).toEqual([{ role: 'user', content }]);
  });

  it('is left out where it is empty', () => {
    expect(said({ type: 'text', text: '' }, { type: 'text', text: 'Hi' })).toEqual([
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('that is stored at Anthropic can only be read there', () => {
    const source = { type: 'file', file_id: 'file_1' };
    const content = [
      { type: 'image', source },
      { type: 'document', source },
      { type: 'text', text: 'Hi' },
    ];
    expect(read({ messages: [{ role: 'user', content }] })).toMatchObject({
      nativeOnly: ['file'],
      violations: [],
    });
  });

  it('of a type that is new is left out and named, or becomes its text', () => {
    const content = [
      { type: 'hologram', data: 'AAAA' },
      { type: 'note', text: 'A note' },
    ];
    const { chat, omitted } = read({ messages: [{ role: 'user', content }] });
    expect(chat.messages).toEqual([{ role: 'user', content: 'A note' }]);
    expect(omitted).toEqual(['hologram']);
  });

  it('in several messages is one turn, as it is for Anthropic', () => {
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'user', content: 'two' },
    ];
    expect(chatOf({ messages }).messages).toEqual([{ role: 'user', content: 'One\n\ntwo' }]);
  });
});

describe('calls and their results', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'x' } };
  const asked = { id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } };

  it('are messages of their own, results before what else the user says', () => {
    const messages = [
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Let me ' }, { type: 'text', text: 'look.' }, call],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And?' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
            ...MARK,
          },
        ],
      },
    ];
    expect(chatOf({ messages }).messages).toEqual([
      { role: 'assistant', content: 'Let me look.', tool_calls: [asked] },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'a\nb', ...MARK },
      { role: 'user', content: 'And?' },
    ]);
  });

  it.each([
    ['a text', 'done', 'done'],
    ['nothing', undefined, ''],
    [
      'an image',
      [{ type: 'image', source: { type: 'url', url: 'https://i' } }],
      [{ type: 'image_url', image_url: { url: 'https://i' } }],
    ],
    ['a tool that was found', [{ type: 'tool_reference', tool_name: 'look' }], 'The tool look is available.'],
  ])('result in %s', (_, content, expected) => {
    expect(said({ type: 'tool_result', tool_use_id: 't', content })).toEqual([
      { role: 'tool', tool_call_id: 't', content: expected },
    ]);
  });

  it.each([
    ['no such file', 'Error: no such file'],
    [undefined, 'Error'],
  ])('result that is an error says so: %s', (content, expected) => {
    const [message] = said({ type: 'tool_result', tool_use_id: 't', content, is_error: true });
    expect(message?.content).toBe(expected);
  });

  it('without text have none; a mark on the call is one on the message', () => {
    const messages = [{ role: 'assistant', content: [{ ...call, ...MARK }] }];
    expect(chatOf({ messages }).messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [asked], ...MARK },
    ]);
  });

  it('of Anthropic’s own servers become their text, and are named where they have none', () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: [{ type: 'web_search_result', title: 'T', url: 'https://t', encrypted_content: 'E' }],
          },
          { type: 'code_execution_tool_result', content: { stdout: 'out', stderr: '', return_code: 0 } },
          { type: 'text', text: 'Found.' },
        ],
      },
    ];
    const { chat, omitted } = read({ messages });
    expect(chat.messages).toEqual([{ role: 'assistant', content: 'T\nhttps://t\n\nout\n\nFound.' }]);
    expect(omitted).toEqual(['server_tool_use']);
  });
});
