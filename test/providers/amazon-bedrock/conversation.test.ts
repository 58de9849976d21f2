import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import { bodyFor, LLAMA, startTable, user } from './adapter.fixture.js';

const UNFETCHED =
  /^https:\/\/127\.0\.0\.1:1\/x\.\w+ could not be fetched for .*: its server can’t be reached/;
const messagesOf = (...messages: ChatMessage[]) => bodyFor({ messages }).messages;

describe('messages', () => {
  it('of system and developer are the system prompt, wherever they are', () => {
    const messages = [
      { role: 'system', content: 'One' },
      { role: 'user', content: 'Hello' },
      {
        role: 'developer',
        content: [{ type: 'text', text: 'Two', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
    ];
    expect(bodyFor({ messages })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      system: [{ text: 'One' }, { text: 'Two' }, { cachePoint: { type: 'default', ttl: '1h' } }],
    });
  });

  it('marked for the cache that say nothing, or go to a model that has none, are not marked', () => {
    const cache_control = { type: 'ephemeral' };
    const content = [
      { type: 'text', text: ' ', cache_control },
      { type: 'text', text: 'a', cache_control },
    ];
    const marked = [{ text: 'a' }, { cachePoint: { type: 'default' } }];
    expect(messagesOf({ role: 'user', content })).toEqual([{ role: 'user', content: marked }]);
    const { messages } = bodyFor({ messages: [{ role: 'user', content }] }, { model: LLAMA });
    expect(messages).toEqual([{ role: 'user', content: [{ text: 'a' }] }]);
  });

  it('of one side after the other are one turn, and the user begins', () => {
    expect(
      messagesOf(
        { role: 'assistant', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'there' },
            { type: 'refusal', refusal: 'no' },
          ],
        },
        { role: 'user', content: ' \n' },
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'so  ' },
      ),
    ).toEqual([
      { role: 'user', content: [{ text: '.' }] },
      { role: 'assistant', content: [{ text: 'Hi' }, { text: 'there' }, { text: 'no' }] },
      { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
      { role: 'assistant', content: [{ text: 'so' }] },
    ]);
  });

  it('with results of tools are a user’s turn that begins with all of them', () => {
    const call = (id: string, text?: string) => ({
      id,
      type: 'function',
      function: { name: 'f', ...(text !== undefined && { arguments: text }) },
    });
    const turns = messagesOf(
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a.b:c', '{"x":1}'), call('two', ''), call('three', '{"x'), call('4'.repeat(80))],
      },
      { role: 'tool', tool_call_id: 'a.b:c', content: 'One' },
      { role: 'user', content: 'Well?' },
      { role: 'tool', tool_call_id: 'two', content: '', cache_control: { type: 'ephemeral' } },
      {
        role: 'tool',
        tool_call_id: 'three',
        content: [{ type: 'image_url', image_url: 'data:image/png;base64,AA==' }],
      },
    );
    const use = (toolUseId: string, input: object) => ({ toolUse: { toolUseId, name: 'f', input } });
    const result = (toolUseId: string, ...content: object[]) => ({ toolResult: { toolUseId, content } });
    expect(turns).toEqual([
      { role: 'user', content: [{ text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          use('a_b_c', { x: 1 }),
          use('two', {}),
          use('three', { arguments: '{"x' }),
          use('4'.repeat(64), {}),
        ],
      },
      {
        role: 'user',
        content: [
          result('a_b_c', { text: 'One' }),
          result('two'),
          result('three', { image: { format: 'png', source: { bytes: 'AA==' } } }),
          { text: 'Well?' },
          { cachePoint: { type: 'default' } },
        ],
      },
    ]);
  });

  it('send thoughts back, reassembled, only to the models that made them', () => {
    const format = 'anthropic-claude-v1';
    const reasoning_details = [
      { type: 'reasoning.text', text: 'H', format, index: 0 },
      { type: 'reasoning.text', text: 'm', format, index: 0 },
      { type: 'reasoning.text', signature: 's', format, index: 0 },
      { type: 'reasoning.text', text: 'of another', signature: 's', format: 'google-gemini-v1', index: 1 },
      { type: 'reasoning.encrypted', data: 'AA==', format, index: 2 },
    ];
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi', reasoning_details },
      { role: 'user', content: 'Go on' },
    ];
    const [, answer] = bodyFor({ messages }).messages as { content: unknown }[];
    expect(answer?.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 's' } } },
      { reasoningContent: { redactedContent: 'AA==' } },
      { text: 'Hi' },
    ]);
    const [, others] = bodyFor({ messages }, { model: LLAMA }).messages as { content: unknown }[];
    expect(others?.content).toEqual([{ text: 'Hi' }]);
  });
});

describe('media go along as bytes', () => {
  const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } });
  const text = { type: 'text', text: 'x' };

  it.each([
    [
      { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AA==' } },
      { image: { format: 'jpeg', source: { bytes: 'AA==' } } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { audio: { format: 'wav', source: { bytes: 'AA==' } } },
    ],
    [
      { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA==' } },
      { video: { format: 'mp4', source: { bytes: 'AA==' } } },
    ],
    [file('data:image/webp;base64,AA=='), { image: { format: 'webp', source: { bytes: 'AA==' } } }],
    [
      file('data:text/plain,h%C3%A9', 'é/notes.v2.txt'),
      { document: { format: 'txt', name: 'notes v2', source: { bytes: 'aMOp' } } },
    ],
    [
      file('data:application/octet-stream;base64,AA==', 'a.docx'),
      { document: { format: 'docx', name: 'a', source: { bytes: 'AA==' } } },
    ],
    [
      file('data:application/json;base64,AA==', '.hidden'),
      { document: { format: 'txt', name: 'Document', source: { bytes: 'AA==' } } },
    ],
    [file('AA=='), { document: { format: 'pdf', name: 'Document', source: { bytes: 'AA==' } } }],
    [
      file('data:text/csv;base64,AA==', '[a]  (b)_c.csv'),
      { document: { format: 'csv', name: '[a] (b) c', source: { bytes: 'AA==' } } },
    ],
  ])('%j', (part, block) => {
    expect(messagesOf(user(text, part))).toEqual([{ role: 'user', content: [{ text: 'x' }, block] }]);
  });

  it('documents have names of their own, and words beside them', () => {
    const [turn] = messagesOf(user(file('AA==', 'a.pdf'), file('AA==', 'a.pdf'), file('AA=='))) as {
      content: object[];
    }[];
    expect(turn?.content).toMatchObject([
      { document: { name: 'a' } },
      { document: { name: 'a (2)' } },
      { document: { name: 'Document' } },
      { text: '.' },
    ]);
  });

  it.each([
    [{ type: 'image_url', image_url: { url: 'https://127.0.0.1:1/x.png' } }, UNFETCHED],
    [
      { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,AA==' } },
      /images of type image\/svg/,
    ],
    [{ type: 'image_url', image_url: {} }, /an image that is no data URL/],
    [{ type: 'video_url', video_url: { url: 'https://127.0.0.1:1/x.mp4' } }, UNFETCHED],
    [{ type: 'video_url', video_url: { url: 'data:video/odd;base64,AA==' } }, /videos of type/],
    [{ type: 'input_audio', input_audio: {} }, /audio without data/],
    [file('https://127.0.0.1:1/x.pdf'), UNFETCHED],
    [file('data:application/zip;base64,AA=='), /files of type application\/zip/],
    [{ type: 'file', file: { file_id: 'x' } }, /a file without file_data/],
    [{ type: 'file', file: { file_data: 'data:text/plain,%zz' } }, /broken escape/],
    [{ type: 'hologram' }, /no part of type hologram/],
  ])('%j is refused before anything is sent, as an invalid request', async (part, message) => {
    const { fake, complete, stream } = await startTable();
    const body = { messages: [user(text, part)] } as Partial<ChatBody>;
    const failure = { kind: 'invalid_request', status: null, message: expect.stringMatching(message) };
    await expect(complete({ body })).rejects.toMatchObject(failure);
    expect((await stream({ body })).thrown).toMatchObject(failure);
    expect(fake.requests).toEqual([]);
  });
});
