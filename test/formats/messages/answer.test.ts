import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import { detailsJsonIn } from '../../../src/formats/marks.js';
import { readMessages } from '../../../src/formats/messages/reader.js';
import { messageId, messagesAnswer } from '../../../src/formats/messages/writing/answer.js';
import { openThoughts } from '../../../src/formats/reading/sealed-thoughts.js';
import { RULES, type Said, USAGE, wholeAnswer } from './answer.fixture.js';
import { SIGNER } from './signer.fixture.js';

function contentOf(said: Said, rules = RULES) {
  return messagesAnswer(wholeAnswer(said), 'm', rules).content;
}

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } };
const CALLED = { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'x' } };

describe('an answer in one piece', () => {
  it('has every member that Anthropic’s types want', () => {
    expect(messagesAnswer(wholeAnswer({ content: 'Hi' }), 'author/m', RULES)).toEqual({
      id: messageId('gen-1'),
      type: 'message',
      role: 'assistant',
      model: 'author/m',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 60,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
        cost: USAGE.cost,
        is_byok: false,
        cost_details: USAGE.cost_details,
      },
    });
  });

  it('has thoughts of Claude in their places among text and calls, and says so on the way back', () => {
    const thought = (text: string, index: number, id?: string) => ({
      ...{ type: 'reasoning.text', text, signature: `s${index}`, format: 'anthropic-claude-v1', index },
      ...(id !== undefined && { id }),
    });
    const details = [thought('A.', 0), thought('B.', 1, 'thought_1_3_0'), thought('C.', 2, 'thought_2_8_1')];
    const tool_calls = [CALL, { ...CALL, id: 'call_2' }];
    const said = { content: 'One two.', reasoning: 'A.B.C.', reasoning_details: details, tool_calls };
    const content = contentOf(said);
    expect(content).toEqual([
      { type: 'thinking', thinking: 'A.', signature: 's0' },
      { type: 'text', text: 'One' },
      { type: 'thinking', thinking: 'B.', signature: 's1' },
      { type: 'text', text: ' two.' },
      CALLED,
      { type: 'thinking', thinking: 'C.', signature: 's2' },
      { ...CALLED, id: 'call_2' },
    ]);
    const { chat } = readMessages({ model: 'm', messages: [{ role: 'assistant', content }] });
    expect(chat.messages).toEqual([{ role: 'assistant', ...said, reasoning: 'A.\n\nB.\n\nC.', tool_calls }]);
  });

  it('tells how long what was written to a cache is kept', () => {
    const { usage } = messagesAnswer(wholeAnswer({ content: 'Hi' }), 'm', RULES, 4);
    expect(usage).toMatchObject({
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 4 },
    });
  });

  it.each([
    ['priority', 'priority'],
    ['default', 'standard'],
    ['flex', null],
  ])('names the tier %s as %s', (service_tier, expected) => {
    const answer = { ...wholeAnswer({ content: 'Hi' }), service_tier };
    expect(messagesAnswer(answer, 'm', RULES).usage.service_tier).toBe(expected);
  });

  it.each([
    ['stop', null, {}, 'end_turn'],
    ['length', 'length', {}, 'max_tokens'],
    ['tool_calls', 'tool_calls', { tool_calls: [CALL] }, 'tool_use'],
    ['stop', 'stop', { tool_calls: [CALL] }, 'tool_use'],
    ['tool_calls', null, {}, 'end_turn'],
    ['content_filter', 'SAFETY', {}, 'refusal'],
    ['stop', 'stop', { refusal: 'No.' }, 'refusal'],
    ['stop', 'stop_sequence', {}, 'stop_sequence'],
    ['stop', 'pause_turn', {}, 'pause_turn'],
    ['length', 'model_context_window_exceeded', {}, 'model_context_window_exceeded'],
  ] as const)('that ended with %s (%s) and %j stops with %s', (reason, native, said, stop) => {
    const answer = messagesAnswer(wholeAnswer(said, { reason, native }), 'm', RULES);
    expect(answer.stop_reason).toBe(stop);
    expect(answer.stop_details !== null).toBe(stop === 'refusal');
  });

  it('that refuses says so in words, too', () => {
    const answer = messagesAnswer(wholeAnswer({ refusal: 'I won’t.' }), 'm', RULES);
    expect(answer.content).toEqual([{ type: 'text', text: 'I won’t.' }]);
    expect(answer.stop_details).toEqual({ type: 'refusal', category: null, explanation: 'I won’t.' });
  });

  it('has thoughts, words and calls in this order', () => {
    expect(contentOf({ reasoning: 'Hm.', content: 'Let me look.', tool_calls: [CALL] })).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: expect.stringMatching(/^bw2\./) },
      { type: 'text', text: 'Let me look.' },
      CALLED,
    ]);
  });

  it('without content has no blocks', () => {
    expect(contentOf({ content: '' })).toEqual([]);
  });

  it('has its tools’ own names', () => {
    const name = `mcp__${'a'.repeat(80)}`;
    const { chat, rules } = readMessages({ model: 'm', messages: [], tools: [{ name }] });
    const short = String(chat.tools?.[0]?.function?.name);
    const [called] = contentOf(
      { tool_calls: [{ ...CALL, function: { ...CALL.function, name: short } }] },
      rules,
    );
    expect(called).toEqual({ ...CALLED, name });
  });

  it('has ids of calls that Anthropic takes back', () => {
    const [called] = contentOf({ tool_calls: [{ ...CALL, id: 'functions.look:0' }] });
    expect(called?.id).toBe('functions_look_0');
  });

  it.each(['', '{"at": "x', '[1]', 'no'])('with the arguments %j has no input', (given) => {
    const [called] = contentOf({ tool_calls: [{ ...CALL, function: { name: 'look', arguments: given } }] });
    expect(called?.input).toEqual({});
  });
});

describe('thoughts', () => {
  const GEMINI = {
    type: 'reasoning.encrypted',
    data: 'sig',
    id: 'call_1',
    format: 'google-gemini-v1',
    index: 0,
  };
  const CLAUDE = {
    type: 'reasoning.text',
    text: 'Hm.',
    signature: 'EqRs',
    format: 'anthropic-claude-v1',
    index: 0,
  };

  /** What a chat gets when the client sends the answer back. */
  function sentBack(said: Said, rules = RULES) {
    const content = contentOf(said, rules);
    const closed = readMessages({ model: 'm', messages: [{ role: 'assistant', content }] });
    const { chat } = runToEnd(openThoughts(closed.chat, closed.sealed, SIGNER));
    const { reasoning, reasoning_details } = chat.messages[0] ?? { role: '' };
    return { content, sent: { reasoning, reasoning_details } };
  }

  it('of Claude have its own signature, which any of its hosts takes', () => {
    const redacted = { type: 'reasoning.encrypted', data: 'Ab', format: 'anthropic-claude-v1', index: 1 };
    const said = { reasoning: 'Hm.', reasoning_details: [CLAUDE, redacted], content: 'Hi' };
    const { content, sent } = sentBack(said);
    expect(content.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'EqRs' },
      { type: 'redacted_thinking', data: 'Ab' },
    ]);
    expect(sent.reasoning_details).toEqual([CLAUDE, redacted]);
  });

  it('that are hidden are sent back all the same', () => {
    const rules = { ...RULES, showsThoughts: false };
    const claude = sentBack({ reasoning: 'Hm.', reasoning_details: [CLAUDE], content: 'Hi' }, rules);
    expect(claude.content[0]).toEqual({ type: 'thinking', thinking: '', signature: 'EqRs' });
    const other = sentBack({ reasoning: 'Hm.', content: 'Hi' }, rules);
    expect(other.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    expect(other.sent).toEqual({ reasoning: 'Hm.' });
  });

  it('of others are sent back to a model that needs them, whatever it has signed', () => {
    const said = { reasoning: 'Hm.', reasoning_details: [{ ...GEMINI, id: undefined }], content: 'Hi' };
    expect(sentBack(said).sent).toEqual({
      reasoning: 'Hm.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1', index: 0 }],
    });
  });

  it('without words are redacted thinking; the signature of a call stands before it', () => {
    const { content, sent } = sentBack({ content: 'Hi', tool_calls: [CALL], reasoning_details: [GEMINI] });
    expect(content.map(({ type }) => type)).toEqual(['text', 'redacted_thinking', 'tool_use']);
    expect(JSON.parse(detailsJsonIn(String(content[1]?.data), SIGNER) ?? '')).toEqual([GEMINI]);
    expect(sent).toEqual({ reasoning_details: [GEMINI] });
  });
});
