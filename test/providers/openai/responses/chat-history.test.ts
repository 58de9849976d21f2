import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../../src/formats/chat/types.js';
import { readResponse } from '../../../../src/providers/openai/responses/answer.js';
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
const FORMAT = 'openai-responses-v1';
const sealed = (index: number, id: string, own = id) => ({
  type: 'reasoning.encrypted',
  data: `sealed ${own}`,
  id,
  format: FORMAT,
  index,
});
const thought = (id: string, ...summary: string[]) => ({
  type: 'reasoning',
  id,
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: `sealed ${id}`,
});

describe('thoughts of earlier answers, as items of a Responses request', () => {
  it('come back encrypted, where they stood', async () => {
    const messages = [
      USER,
      {
        role: 'assistant',
        content: 'Looking',
        reasoning: 'Hm',
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Hm', format: FORMAT, index: 0 },
          sealed(0, 'rs_1'),
          sealed(1, 'thought_1_7_1_rs_2', 'rs_2'),
        ],
        tool_calls: [called('c1'), called('c2')],
      },
      result('c1'),
      result('c2'),
    ];
    expect(await inputOf(messages)).toEqual([
      user,
      thought('rs_1', 'Hm'),
      answer('Looking'),
      callItem('c1'),
      thought('rs_2'),
      callItem('c2'),
      output('c1'),
      output('c2'),
    ]);
  });

  it('come back as the answer had them, streamed or not', async () => {
    const items = [thought('rs_1', 'Hm'), callItem('c1'), thought('rs_2'), callItem('c2')];
    const { message } = readResponse({ status: 'completed', output: items }).choices[0] ?? {};
    expect(await inputOf([USER, message as ChatMessage, result('c1'), result('c2')])).toEqual([
      user,
      ...items,
      output('c1'),
      output('c2'),
    ]);
  });

  it('are left out that lead to nothing, are of another family, or are readable alone', async () => {
    const foreign = {
      type: 'reasoning.text',
      text: 'Hm',
      signature: 'x',
      format: 'anthropic-claude-v1',
      index: 0,
    };
    const readable = { type: 'reasoning.text', text: 'Hm', format: FORMAT, index: 0 };
    for (const details of [[foreign], [readable]]) {
      const messages = [USER, { role: 'assistant', content: 'Hi', reasoning_details: details }, USER];
      expect(await inputOf(messages)).toEqual([user, answer('Hi'), user]);
    }
    const cut = { role: 'assistant', content: '', reasoning_details: [sealed(0, 'rs_1')] };
    expect(await inputOf([USER, cut, USER])).toEqual([user, user]);
  });

  it('are readable for hosts that encrypt none', async () => {
    const readable = { type: 'reasoning.text', text: 'Hm', format: FORMAT, index: 0 };
    const messages = [USER, { role: 'assistant', content: 'Hi', reasoning_details: [readable] }, USER];
    expect(await inputOf(messages, { provider: ELSEWHERE })).toEqual([
      user,
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
      answer('Hi'),
      user,
    ]);
  });
});

describe('an earlier answer that says more than a message can', () => {
  const said = (text: string, more: object = {}) => ({
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    ...more,
  });
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
  const items = [
    thought('rs_1'),
    search,
    said('Let me look.', { phase: 'commentary' }),
    { ...callItem('c1'), id: 'fc_1', status: 'completed' },
    said('Calling', { phase: 'commentary' }),
  ];
  const message = readResponse({ status: 'completed', output: items }).choices[0]?.message as ChatMessage;
  const words = (text: string) => ({
    ...answer([{ type: 'output_text', text, annotations: [] }]),
    phase: 'commentary',
  });
  const sentBack = [thought('rs_1'), search, words('Let me look.'), callItem('c1'), words('Calling')];

  it('comes back with its own items, in their order and phases', async () => {
    expect(await inputOf([USER, message, result('c1')])).toEqual([user, ...sentBack, output('c1')]);
    const { content, ...wordless } = message;
    expect(await inputOf([USER, { ...wordless, content: null }, result('c1')])).toEqual([
      user,
      ...sentBack,
      output('c1'),
    ]);
  });

  it('has its calls by the ids and names of the message', async () => {
    const renamed = { ...message, tool_calls: [called('d1', 'g')] };
    expect(await inputOf([USER, renamed, result('d1')])).toContainEqual({
      ...callItem('d1'),
      name: 'g',
    });
  });

  it('is told by its message alone where somebody has changed its words', async () => {
    const edited = { ...message, content: 'Something else' };
    const { sent, adapted } = await requested({ body: { messages: [USER, edited, result('c1')] } });
    expect(sent.input).toEqual([
      user,
      thought('rs_1'),
      answer('Something else'),
      callItem('c1'),
      output('c1'),
    ]);
    expect(adapted).toEqual({ 'messages.provider_blocks': 'left_out' });
  });
});
