import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../../src/formats/chat/types.js';
import { ELSEWHERE, inputOf, requested, USER } from './chat-over-responses.fixture.js';

const user = { type: 'message', role: 'user', content: 'Hello' };
const called = (id: string, name = 'f', given = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});
const result = (tool_call_id: string, content: ChatMessage['content'] = 'Done'): ChatMessage => ({
  role: 'tool',
  tool_call_id,
  content,
});
const callItem = (call_id: string, given = '{}') => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: given,
});
const output = (call_id: string, said: unknown = 'Done') => ({
  type: 'function_call_output',
  call_id,
  output: said,
});
const answer = (content: unknown) => ({ type: 'message', role: 'assistant', content });

describe('messages of a chat, as items of a Responses request', () => {
  it('have their role and their words', async () => {
    expect(
      await inputOf([
        { role: 'system', content: 'Be kind' },
        USER,
        { role: 'assistant', content: 'Hi' },
        { role: 'developer', content: [{ type: 'text', text: 'Be brief' }] },
        { role: 'user', content: [{ type: 'text', text: 'Bye' }] },
      ]),
    ).toEqual([
      { type: 'message', role: 'system', content: 'Be kind' },
      user,
      answer('Hi'),
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Bye' }] },
    ]);
  });

  it('are those of the system at hosts that may not know developers', async () => {
    const messages = [{ role: 'developer', content: 'Be brief' }, USER];
    expect(await inputOf(messages, { provider: ELSEWHERE })).toEqual([
      { type: 'message', role: 'system', content: 'Be brief' },
      user,
    ]);
  });

  it('have images and files', async () => {
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const content = [
      { type: 'image_url', image_url: { url: png, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'file', file: { file_data: 'data:text/csv;base64,YQ==' } },
      { type: 'file', file: { filename: 'b.pdf', file_data: 'JVBERi0=' } },
      { type: 'file', file: { file_data: 'https://x.example/a.pdf' } },
      { type: 'file', file: { file_id: 'file_1' } },
    ];
    expect(await inputOf([{ role: 'user', content }])).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_image', image_url: png, detail: 'low' },
          { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_file', filename: 'file.csv', file_data: 'data:text/csv;base64,YQ==' },
          { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_file', file_url: 'https://x.example/a.pdf' },
          { type: 'input_file', file_id: 'file_1' },
        ],
      },
    ]);
  });

  it('with sound are refused before anything is sent', async () => {
    const content = [{ type: 'input_audio', input_audio: { data: 'YQ==', format: 'wav' } }];
    await expect(inputOf([{ role: 'user', content }])).rejects.toMatchObject({
      kind: 'invalid_request',
      providerError: { param: 'messages[0].content[0]' },
    });
  });

  it('tell who speaks nowhere, and that this is lost', async () => {
    const { sent, adapted } = await requested({ body: { messages: [{ ...USER, name: 'ann' }] } });
    expect(sent.input).toEqual([user]);
    expect(adapted).toEqual({ 'messages.name': 'left_out' });
  });

  it('have refusals', async () => {
    expect(await inputOf([USER, { role: 'assistant', content: null, refusal: 'I will not' }, USER])).toEqual([
      user,
      answer([{ type: 'refusal', refusal: 'I will not' }]),
      user,
    ]);
  });
});

describe('calls and results of a chat, as items of a Responses request', () => {
  it('follow what is said beside them', async () => {
    const messages = [
      USER,
      {
        role: 'assistant',
        content: 'Looking',
        tool_calls: [called('c1', 'f', '{"a":1}'), called('c2', 'f', '')],
      },
      result('c1'),
      result('c2', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ];
    expect(await inputOf(messages)).toEqual([
      user,
      answer('Looking'),
      callItem('c1', '{"a":1}'),
      callItem('c2'),
      output('c1'),
      output('c2', 'a\nb'),
    ]);
  });

  it('have images of results where the host takes them, else in words of the user after them', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
    const messages = [USER, { role: 'assistant', tool_calls: [called('c1')] }, result('c1', [image])];
    expect(await inputOf(messages)).toEqual([
      user,
      callItem('c1'),
      output('c1', [{ type: 'input_image', image_url: 'https://x.example/a.png', detail: 'auto' }]),
    ]);
    expect(await inputOf(messages, { provider: ELSEWHERE })).toMatchObject([
      user,
      callItem('c1'),
      { type: 'function_call_output', output: expect.any(String) },
      { type: 'message', role: 'user', content: [{ type: 'input_text' }, { type: 'input_image' }] },
    ]);
  });

  it('have an output for every call, and no output without a call', async () => {
    const messages = [
      USER,
      { role: 'assistant', tool_calls: [called('c1')] },
      USER,
      result('gone', 'Orphan'),
    ];
    expect(await inputOf(messages)).toMatchObject([
      user,
      callItem('c1'),
      { type: 'function_call_output', call_id: 'c1' },
      user,
      { type: 'message', role: 'user', content: expect.stringContaining('Orphan') },
    ]);
  });

  it('of custom tools are items of their own', async () => {
    const custom = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'x' } };
    expect(await inputOf([USER, { role: 'assistant', tool_calls: [custom] }, result('c1')])).toEqual([
      user,
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' },
    ]);
  });

  it('have ids that OpenAI takes, the same in call and output', async () => {
    const id = `toolu_${'x'.repeat(100)}`;
    const items = await inputOf([USER, { role: 'assistant', tool_calls: [called(id)] }, result(id)]);
    const [, call, done] = items as { call_id: string }[];
    expect(call?.call_id.length).toBeLessThanOrEqual(64);
    expect(done?.call_id).toBe(call?.call_id);
  });
});
