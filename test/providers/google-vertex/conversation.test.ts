import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { ChatMessage } from '../../../src/formats/chat/types.js';
import { conversationOf } from '../../../src/providers/google-vertex/chat/gemini/conversation.js';
import { readArgumentsAndResults } from '../../../src/providers/google-vertex/chat/gemini/nested.js';

const MODEL = 'gemini-2.5-flash';
const NEW_MODEL = 'gemini-3.1-pro-preview';
const hello: ChatMessage = { role: 'user', content: 'Hello' };

function contentsOf(messages: readonly ChatMessage[], model = MODEL): unknown {
  return translated(messages, model).contents;
}

function translated(messages: readonly ChatMessage[], model = MODEL) {
  return conversationOf(messages, model, runToEnd(readArgumentsAndResults({ messages })));
}

describe('a conversation', () => {
  it('is sent turn by turn, with consecutive messages of one role joined', () => {
    const messages: ChatMessage[] = [
      hello,
      { role: 'user', content: [{ type: 'text', text: 'there' }] },
      { role: 'assistant', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ];
    expect(contentsOf(messages)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }, { text: 'there' }] },
      { role: 'model', parts: [{ text: 'Hi' }, { text: 'No' }] },
    ]);
  });

  it('leaves out empty content, which Google refuses', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: '' },
      hello,
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null },
      { role: 'user', content: [{ type: 'text', text: '' }] },
    ];
    expect(translated(messages)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
  });

  it('of instructions alone sends them as the user’s', () => {
    expect(translated([{ role: 'system', content: 'Sing' }])).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Sing' }] }],
    });
  });

  it.each([
    ['a type that nobody knows', { type: 'hologram' }],
    ['a file by an id of OpenAI’s', { type: 'file', file: { file_id: 'file-1' } }],
    ['an image without a URL', { type: 'image_url', image_url: {} }],
    ['an image on the client’s disk', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
    ['audio without data', { type: 'input_audio', input_audio: { format: 'wav' } }],
    ['a broken data URL', { type: 'image_url', image_url: { url: 'data:image/png;base64' } }],
    ['broken escapes', { type: 'file', file: { file_data: 'data:text/plain,%E0%A4%A' } }],
  ])('is refused before it is sent when it has %s', (_, part) => {
    const messages = [{ role: 'user', content: [part] }];
    expect(() => contentsOf(messages)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', status: 400 }),
    );
  });

  it.each([
    [
      'https://example.com/a.JPG',
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.JPG' } },
    ],
    ['https://example.com/a', { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a' } }],
    ['gs://b/o.png', { fileData: { mimeType: 'image/png', fileUri: 'gs://b/o.png' } }],
    ['data:image/webp;charset=x;base64,AAAA', { inlineData: { mimeType: 'image/webp', data: 'AAAA' } }],
    ['data:,a%20b', { inlineData: { mimeType: 'image/jpeg', data: Buffer.from('a b').toString('base64') } }],
  ])('has an image at %s', (url, part) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }];
    expect(contentsOf(messages)).toEqual([{ role: 'user', parts: [part] }]);
  });
});

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const calling = (name: string, args: object, more: object = {}) => ({
  functionCall: { name, args },
  ...more,
});
const answering = (name: string, response: object) => ({ functionResponse: { name, response } });
const NO_SIGNATURE = { thoughtSignature: 'skip_thought_signature_validator' };

describe('calls of tools and their results', () => {
  it('are matched by id and sent in the order of the calls, since Vertex AI takes no ids', () => {
    const messages: ChatMessage[] = [
      hello,
      {
        role: 'assistant',
        content: 'Look',
        tool_calls: [call('1', 'a', '{"x":1}'), call('2', 'b', ''), call('3', 'a', '[')],
      },
      { role: 'tool', tool_call_id: '3', content: 'third' },
      { role: 'tool', tool_call_id: '1', content: '{"first":true}' },
      { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: '[2]' }] },
      { role: 'user', content: 'And?' },
    ];
    expect(contentsOf(messages)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      {
        role: 'model',
        parts: [{ text: 'Look' }, calling('a', { x: 1 }), calling('b', {}), calling('a', { arguments: '[' })],
      },
      {
        role: 'user',
        parts: [
          answering('a', { first: true }),
          answering('b', { output: [2] }),
          answering('a', { output: 'third' }),
        ],
      },
      { role: 'user', parts: [{ text: 'And?' }] },
    ]);
  });

  it('keep their order where a turn of calls came in several messages', () => {
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', tool_calls: [call('1', 'a', '{}')] },
      { role: 'assistant', tool_calls: [call('2', 'b', '{}')] },
      { role: 'tool', tool_call_id: '2', content: 'two' },
      { role: 'tool', tool_call_id: '1', content: 'one' },
      { role: 'tool', tool_call_id: 'unheard-of', name: 'c', content: 'three' },
    ];
    expect(contentsOf(messages)).toMatchObject([
      {},
      { parts: [calling('a', {}), calling('b', {})] },
      {
        parts: [
          answering('a', { output: 'one' }),
          answering('b', { output: 'two' }),
          answering('c', { output: 'three' }),
        ],
      },
    ]);
  });

  it('are matched with the latest call where ids are reused', () => {
    const turn = (name: string, result: string): ChatMessage[] => [
      { role: 'assistant', tool_calls: [call('call_0', name, '{}')] },
      { role: 'tool', tool_call_id: 'call_0', content: result },
    ];
    const contents = contentsOf([hello, ...turn('a', 'one'), ...turn('b', 'two')]);
    expect(contents).toMatchObject([
      {},
      {},
      { parts: [answering('a', { output: 'one' })] },
      {},
      { parts: [answering('b', { output: 'two' })] },
    ]);
  });

  it('keep images of a tool’s result, after all results', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')] },
      { role: 'tool', tool_call_id: '1', content: [image] },
      { role: 'tool', tool_call_id: '2', content: '' },
    ];
    expect(contentsOf(messages)).toMatchObject([
      {},
      {},
      {
        parts: [
          answering('a', { output: '' }),
          answering('b', { output: '' }),
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
        ],
      },
    ]);
  });

  it('are sent back with the model’s signatures', () => {
    const details = [
      { type: 'reasoning.encrypted', data: 'sig-2', id: '2', format: 'google-gemini-v1', index: 1 },
      { type: 'reasoning.encrypted', data: 'sig-text', format: 'google-gemini-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'foreign', id: '1', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'Hm', format: 'google-gemini-v1', index: 2 },
    ];
    const messages: ChatMessage[] = [
      hello,
      {
        role: 'assistant',
        content: 'So',
        tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')],
        reasoning_details: details,
      },
    ];
    expect(contentsOf(messages, NEW_MODEL)).toMatchObject([
      {},
      {
        parts: [
          { text: 'So', thoughtSignature: 'sig-text' },
          calling('a', {}),
          calling('b', {}, { thoughtSignature: 'sig-2' }),
        ],
      },
    ]);
  });

  it.each([
    [NEW_MODEL, NO_SIGNATURE],
    ['gemini-flash-latest', NO_SIGNATURE],
    [MODEL, {}],
  ])('of another model are taken by %s', (model, signature) => {
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', tool_calls: [call('1', 'a', '{}'), call('2', 'b', '{}')] },
    ];
    expect(contentsOf(messages, model)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [calling('a', {}, signature), calling('b', {})] },
    ]);
  });
});
