import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/formats/chat/types.js';
import type { UpstreamEvent } from '../../../src/inference/ports/adapter.js';
import { EventReader } from '../../../src/providers/anthropic/chat/events.js';
import { thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import type { FakeBlock, FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { assembled, startTable } from './adapter.fixture.js';

const text = (words: string): FakeBlock => ({ type: 'text', text: words, citations: null });
const use = (id: string, input: object): FakeBlock => ({ type: 'tool_use', id, name: 'weather', input });
const citation = { type: 'page_location', cited_text: 'x', document_index: 0 };
const search: readonly FakeBlock[] = [
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', url: 'x' }],
  },
];
const signed = thinkingBlock('Hm, well');
const detail = {
  type: 'reasoning.text',
  text: 'Hm, well',
  signature: signed.signature,
  format: 'anthropic-claude-v1',
  index: 0,
};
const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});

const ANSWERS: readonly [name: string, content: readonly FakeBlock[], message: object][] = [
  ['text', [text('Hi there')], { content: 'Hi there' }],
  ['texts', [text('Hi'), text(' there')], { content: 'Hi there' }],
  [
    'texts with citations',
    [{ ...text('Hi'), citations: [citation] }],
    {
      content: 'Hi',
      annotations: [{ type: 'file_citation', file_citation: { ...citation, start_index: 0, end_index: 2 } }],
    },
  ],
  ['nothing', [], { content: '' }],
  ['a thought', [signed, text('Hi')], { content: 'Hi', reasoning: 'Hm, well', reasoning_details: [detail] }],
  [
    'a thought that nobody may read',
    [{ type: 'redacted_thinking', data: 'xyz' }, text('Hi')],
    {
      content: 'Hi',
      reasoning_details: [
        { type: 'reasoning.encrypted', data: 'xyz', format: 'anthropic-claude-v1', index: 0 },
      ],
    },
  ],
  [
    'tool calls',
    [use('t1', { city: 'Zürich' }), use('t2', {})],
    { content: null, tool_calls: [call('t1', '{"city":"Zürich"}'), call('t2', '{}')] },
  ],
  [
    'a tool call after text',
    [text('So'), use('t1', { a: [1] })],
    { content: 'So', tool_calls: [call('t1', '{"a":[1]}')] },
  ],
  [
    'what it searched for',
    [...search, text('Found')],
    {
      content: 'Found',
      provider_blocks: { format: 'anthropic-claude-v1', blocks: [...search, text('Found')] },
    },
  ],
];

describe('an answer, in one piece and streamed', () => {
  it.each(ANSWERS)('with %s', async (_, content, message) => {
    const { complete, stream } = await startTable({ content });
    const whole = await complete();
    expect(whole.choices[0]?.message).toEqual({ role: 'assistant', refusal: null, ...message });
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    const { content: words, reasoning = '', tool_calls = [] } = whole.choices[0]?.message ?? {};
    const actual = assembled(events);
    expect(actual).toMatchObject({ content: words ?? '', reasoning, tool_calls });
    expect(actual.reasoning_details.length > 0).toBe('reasoning_details' in message);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    // Without a call that its results could follow.
    ['tool_use', 'stop'],
    ['refusal', 'content_filter'],
    ['never heard of', 'stop'],
  ])('that ends with %s has the finish %s', async (stopReason, reason) => {
    const { complete, stream } = await startTable({ stopReason });
    const { choices } = await complete();
    expect(choices[0]).toMatchObject({ finish_reason: reason, native_finish_reason: stopReason });
    const { events } = await stream();
    expect(events.at(-1)).toEqual({ type: 'finish', index: 0, reason, nativeReason: stopReason });
  });

  it('that is refused has the provider’s reason, if it gives one', async () => {
    const message = { stop_details: { type: 'refusal', category: 'bio', explanation: 'Not this.' } };
    const { complete, stream } = await startTable({ content: [], stopReason: 'refusal', message });
    expect((await complete()).choices[0]?.message).toMatchObject({ content: '', refusal: 'Not this.' });
    expect((await stream()).events).toContainEqual({
      type: 'delta',
      index: 0,
      delta: { refusal: 'Not this.' },
    });
  });
});

function readAll(...events: readonly JsonObject[]): UpstreamEvent[] {
  const reader = new EventReader();
  return events.flatMap((event) => reader.read(JSON.parse(JSON.stringify(event))));
}

const start = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block });
const add = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta });
const stop = (index = 0) => ({ type: 'content_block_stop', index });

describe('the events of a stream', () => {
  it('bring the input’s usage at once, and nothing that counts as first content before content', () => {
    const usage = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2 };
    expect(
      readAll(
        { type: 'message_start', message: { content: [], usage } },
        { type: 'ping' },
        start({ type: 'text', text: '' }),
        { type: 'something_new', delta: { text: 'x' } },
      ),
    ).toEqual([{ type: 'usage', usage: { promptTokens: 9, cachedTokens: 2 } }]);
  });

  it.each([undefined, null, {}, { output_tokens: null }])(
    'have no count of the answer where the last one says %j of it',
    (usage) => {
      const message = { content: [], usage: { input_tokens: 7, output_tokens: 1 } };
      const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage };
      const events = readAll({ type: 'message_start', message }, end, { type: 'message_stop' });
      expect(events.filter(({ type }) => type === 'usage')).toEqual([
        { type: 'usage', usage: { promptTokens: 7 } },
        { type: 'usage', usage: { promptTokens: 7 } },
      ]);
    },
  );

  it('bring id, type and name of a tool call once, and then its arguments', () => {
    const piece = (partial_json: string) => add({ type: 'input_json_delta', partial_json });
    const events = readAll(start(use('t1', {})), piece(''), piece('{"a"'), piece(':1}'), stop());
    expect(events.map((event) => (event.type === 'delta' ? event.delta.tool_calls : event))).toEqual([
      [{ index: 0, id: 't1', type: 'function', function: { name: 'weather', arguments: '' } }],
      [{ index: 0, function: { arguments: '{"a"' } }],
      [{ index: 0, function: { arguments: ':1}' } }],
    ]);
  });

  it.each([
    ['nothing', {}, [stop()], '{}'],
    ['an empty piece', {}, [add({ type: 'input_json_delta', partial_json: '' }), stop()], '{}'],
    ['the beginning, as some have it', { a: 1 }, [stop()], '{"a":1}'],
    ['no end of the block', {}, [], '{}'],
  ])('make arguments out of %s', (_, input, more, args) => {
    const events = readAll(start(use('t1', input)), ...more, { type: 'message_stop' });
    expect(assembled(events).tool_calls[0]?.function.arguments).toBe(args);
  });

  it('keep several calls and thoughts apart, and leave out the provider’s own tools', () => {
    const json = (partial_json: string, index: number) =>
      add({ type: 'input_json_delta', partial_json }, index);
    const events = readAll(
      start({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, 0),
      json('{"query":"x"}', 0),
      start(use('t1', {}), 1),
      start(use('t2', {}), 2),
      json('{"b":2}', 2),
      json('{"a":1}', 1),
      stop(0),
      stop(1),
      stop(2),
    );
    expect(assembled(events).tool_calls).toEqual([call('t1', '{"a":1}'), call('t2', '{"b":2}')]);
  });

  it('bring thoughts with their signatures as details of one index each', () => {
    const thinking = (words: string, index: number) =>
      add({ type: 'thinking_delta', thinking: words }, index);
    const signature = (sign: string, index: number) =>
      add({ type: 'signature_delta', signature: sign }, index);
    const events = readAll(
      start({ type: 'thinking', thinking: '', signature: '' }, 0),
      thinking('Hm', 0),
      signature('s1', 0),
      start({ type: 'redacted_thinking', data: 'xyz' }, 1),
      start({ type: 'thinking', thinking: '', signature: '' }, 2),
      signature('s2', 2),
    );
    const format = 'anthropic-claude-v1';
    expect(events.map((event) => event.type === 'delta' && event.delta)).toEqual([
      { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 's1', format, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', format, index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 's2', format, index: 2 }] },
    ]);
  });

  it('finish with the last one, and not before', () => {
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } };
    expect(readAll(end)).toEqual([{ type: 'usage', usage: { completionTokens: 3 } }]);
    expect(readAll(end, { type: 'message_stop' }).at(-1)).toMatchObject({ type: 'finish' });
  });
});

describe('the bytes of a stream', () => {
  const reasoning = { isEnabled: true, effort: null, maxTokens: null };
  const model = 'claude-sonnet-4-6';

  it.each<[string, FakePlan]>([
    ['one by one', { splitBytes: 1 }],
    ['in threes', { splitBytes: 3 }],
    ['with CRLF', { lineEnd: '\r\n' }],
    ['with CRLF, one by one', { lineEnd: '\r\n', splitBytes: 1 }],
    ['with CR', { lineEnd: '\r' }],
    ['padded', { padding: '     ' }],
    ['without the last blank line', { isBlankLineMissing: true }],
  ])('mean the same %s', async (_, plan) => {
    const { stream, fake } = await startTable({}, model);
    const usual = await stream({ reasoning });
    fake.plan(model, plan);
    expect(await stream({ reasoning })).toEqual(usual);
    expect(assembled(usual.events)).toMatchObject({
      reasoning: 'Hm, well',
      content: 'Grüezi mitenand 👋🏽!',
    });
  });

  it('are malformed when they are not JSON', async () => {
    const { stream } = await startTable({ events: ['{"type":"content_'] });
    expect((await stream()).thrown).toMatchObject({ kind: 'upstream_error', error: 'malformed' });
  });
});
