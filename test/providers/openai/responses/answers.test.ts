import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/formats/chat/types.js';
import { MAX_BLOCKS, MAX_CALLS } from '../../../../src/providers/common/answer-bounds.js';
import { AnswerCallIds } from '../../../../src/providers/common/answer-call-ids.js';
import { readAnswer } from '../../../../src/providers/openai/responses/answer.js';
import { assembled, readStream, STYLES, streamOf } from './stream.fixture.js';

const USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 32,
};

const response = (output: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5-pro',
  service_tier: 'default',
  output,
  usage: USAGE,
  ...more,
});

const text = (words: string, more: JsonObject = {}) => ({
  type: 'output_text',
  text: words,
  annotations: [],
  logprobs: [],
  ...more,
});

const message = (...content: readonly JsonObject[]) => ({
  type: 'message',
  id: `msg_${content.length}`,
  status: 'completed',
  role: 'assistant',
  content,
});

const says = (words: string) => message(text(words));
const thought = (id: string, ...summary: readonly string[]): JsonObject => ({
  type: 'reasoning',
  id,
  summary: summary.map((words) => ({ type: 'summary_text', text: words })),
  encrypted_content: `sealed ${id}`,
});
const use = (call_id: string, given: unknown) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'weather',
  arguments: given,
  status: 'completed',
});
const search = (id: string, type = 'search') => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type, query: 'x' },
});

const call = (id: string, given: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: given },
});
const detail = (index: number, members: JsonObject) => ({ ...members, format: 'openai-responses-v1', index });
const sealed = (index: number, id: string, place = id) =>
  detail(index, { type: 'reasoning.encrypted', data: `sealed ${id}`, id: place });
const summary = (index: number, words: string, id?: string) =>
  detail(index, { type: 'reasoning.summary', summary: words, ...(id !== undefined && { id }) });
const blocks = (...items: readonly unknown[]) => ({
  provider_blocks: { format: 'openai-responses-v1', blocks: items },
});

const TOKEN = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -1 }] };
const CITED = { type: 'url_citation', url: 'https://x.example', title: 'X', start_index: 0, end_index: 2 };

const twoMessages = [
  { ...says('Let me look.'), phase: 'commentary' },
  { ...says('Sunny'), phase: 'final_answer' },
];
const searched = [thought('rs_1'), search('ws_1'), says('Found')];
const late = [use('c1', '{}'), says('Calling')];

const ANSWERS: readonly [name: string, output: readonly JsonObject[], message: JsonObject][] = [
  ['a text', [says('Hi there')], { content: 'Hi there' }],
  ['texts of one message', [message(text('Hi'), text(' there'))], { content: 'Hi there' }],
  ['nothing', [], { content: '' }],
  ['an empty text', [says('')], { content: '' }],
  [
    'a refusal',
    [message({ type: 'refusal', refusal: 'I will not' })],
    { content: '', refusal: 'I will not' },
  ],
  [
    'a call',
    [use('c1', '{"city":"Zürich"}')],
    { content: '', tool_calls: [call('c1', '{"city":"Zürich"}')] },
  ],
  ['a call without arguments', [use('c1', '')], { content: '', tool_calls: [call('c1', '{}')] }],
  [
    'calls beside a text',
    [says('Looking'), use('c1', '{"a":1}'), use('c2', '{"b":2}')],
    { content: 'Looking', tool_calls: [call('c1', '{"a":1}'), call('c2', '{"b":2}')] },
  ],
  [
    'a call of a custom tool',
    [
      {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'c1',
        name: 'patch',
        input: '*** Begin\n',
        status: 'completed',
      },
    ],
    {
      content: '',
      tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'patch', input: '*** Begin\n' } }],
    },
  ],
  [
    'a summary of a thought',
    [thought('rs_1', 'Hm, well', 'Now then'), says('Hi')],
    {
      content: 'Hi',
      reasoning: 'Hm, well\n\nNow then',
      reasoning_details: [summary(0, 'Hm, well\n\nNow then'), sealed(0, 'rs_1')],
    },
  ],
  [
    'a thought that nobody may read',
    [thought('rs_1'), says('Hi')],
    { content: 'Hi', reasoning_details: [sealed(0, 'rs_1')] },
  ],
  [
    'a thought that the host does not encrypt',
    [
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm, well' }] },
      says('Hi'),
    ],
    {
      content: 'Hi',
      reasoning: 'Hm, well',
      reasoning_details: [detail(0, { type: 'reasoning.text', text: 'Hm, well' })],
    },
  ],
  [
    'thoughts between calls, each at its place',
    [
      thought('rs_1'),
      use('c1', '{}'),
      thought('rs_2'),
      use('c2', '{}'),
      thought('rs_3', 'Hm'),
      use('c3', '{}'),
    ],
    {
      content: '',
      reasoning: 'Hm',
      reasoning_details: [
        sealed(0, 'rs_1'),
        sealed(1, 'rs_2', 'thought_1_0_1_rs_2'),
        summary(2, 'Hm', 'thought_2_0_2'),
        sealed(2, 'rs_3'),
      ],
      tool_calls: [call('c1', '{}'), call('c2', '{}'), call('c3', '{}')],
    },
  ],
  ['messages in phases', twoMessages, { content: 'Let me look.\n\nSunny', ...blocks(...twoMessages) }],
  [
    "a search of the host's",
    searched,
    { content: 'Found', reasoning_details: [sealed(0, 'rs_1')], ...blocks(...searched) },
  ],
  ['a text after a call', late, { content: 'Calling', tool_calls: [call('c1', '{}')], ...blocks(...late) }],
  [
    'citations, each at its place in all that is said',
    [says('Ah'), message(text('So', { annotations: [CITED] }))],
    {
      content: 'Ah\n\nSo',
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://x.example', title: 'X', start_index: 4, end_index: 6 },
        },
      ],
      ...blocks(says('Ah'), message(text('So', { annotations: [CITED] }))),
    },
  ],
  [
    'an image',
    [
      {
        type: 'image_generation_call',
        id: 'ig_1',
        status: 'completed',
        result: 'aGk=',
        output_format: 'webp',
      },
    ],
    {
      content: '',
      images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' }, index: 0 }],
      ...blocks({
        type: 'image_generation_call',
        id: 'ig_1',
        status: 'completed',
        result: 'aGk=',
        output_format: 'webp',
      }),
    },
  ],
];

describe.each(ANSWERS)('a response with %s, in terms of a chat', (_, output, expected) => {
  const { role, content, refusal, ...others } = readAnswer(response(output)).choices[0]?.message ?? {};

  it('in one piece', () => {
    expect({ content: content ?? '', ...(refusal && { refusal }), ...others }).toEqual(expected);
  });

  it.each(STYLES)('as the same, streamed in the style "%s"', (style) => {
    expect(assembled(readStream(streamOf(response(output), style)))).toEqual(expected);
  });
});

describe('a response, in terms of a chat', () => {
  it('has no content where it only calls or refuses', () => {
    const contentOf = (...output: JsonObject[]) => readAnswer(response(output)).choices[0]?.message.content;
    expect(contentOf(use('c1', '{}'))).toBeNull();
    expect(contentOf(message({ type: 'refusal', refusal: 'No' }))).toBeNull();
    expect(contentOf()).toBe('');
  });

  it('says why it ended', () => {
    const endOf = (output: readonly JsonObject[], more: JsonObject) => {
      const [choice] = readAnswer(response(output, more)).choices;
      const finish = readStream(streamOf(response(output, more))).at(-1);
      expect(finish).toEqual({
        type: 'finish',
        index: 0,
        reason: choice?.finish_reason,
        nativeReason: choice?.native_finish_reason,
      });
      return [choice?.finish_reason, choice?.native_finish_reason];
    };
    const cut = (reason: string | undefined) => ({
      status: 'incomplete',
      incomplete_details: reason === undefined ? null : { reason },
    });
    expect(endOf([says('Hi')], {})).toEqual(['stop', 'completed']);
    expect(endOf([use('c1', '{}')], {})).toEqual(['tool_calls', 'completed']);
    expect(endOf([says('Hi')], cut('max_output_tokens'))).toEqual(['length', 'max_output_tokens']);
    expect(endOf([use('c1', '{"a')], cut('max_output_tokens'))).toEqual(['length', 'max_output_tokens']);
    expect(endOf([says('Hi')], cut('content_filter'))).toEqual(['content_filter', 'content_filter']);
    expect(endOf([says('Hi')], cut('max_tool_calls'))).toEqual(['length', 'max_tool_calls']);
    expect(endOf([says('Hi')], cut(undefined))).toEqual(['length', 'incomplete']);
  });

  it('has the counts, the searches that are billed, and the tier that served', () => {
    const searches = response([search('ws_1'), search('ws_2', 'open_page'), search('ws_3'), says('Hi')]);
    const usage = {
      promptTokens: 20,
      cachedTokens: 8,
      cacheWriteTokens: 4,
      completionTokens: 12,
      reasoningTokens: 5,
      webSearches: 2,
    };
    expect(readAnswer(searches)).toMatchObject({
      usage,
      members: { service_tier: 'default' },
      mode: { service_tier: 'default' },
    });
    const events = readStream(streamOf(searches));
    expect(events).toContainEqual({ type: 'usage', usage });
    expect(events.filter(({ type }) => type === 'mode')).toEqual([
      { type: 'mode', mode: { service_tier: 'default' } },
    ]);
    const counted = response([search('ws_1')], {
      usage: { ...USAGE, server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 1 } },
    });
    expect(readAnswer(counted).usage.webSearches).toBe(4);
  });

  it('has the probabilities of its tokens', () => {
    const likely = response([message(text('Hi', { logprobs: [TOKEN] }))]);
    const logprobs = {
      content: [{ ...TOKEN, top_logprobs: [{ token: 'Ho', logprob: -1, bytes: null }] }],
      refusal: null,
    };
    expect(readAnswer(likely).choices[0]?.logprobs).toEqual(logprobs);
    for (const style of STYLES) {
      const told = readStream(streamOf(likely, style)).flatMap((event) =>
        event.type === 'delta' && event.logprobs !== undefined ? [event.logprobs] : [],
      );
      expect(told).toEqual([logprobs]);
    }
  });

  it('has calls whose ids are those of no other call', () => {
    const ids = () =>
      new AnswerCallIds([{ role: 'assistant', tool_calls: [{ id: 'c1' }] }], { hex: () => 'fresh' });
    const output = [says('Hi'), use('c1', '{}'), says('There')];
    const { message } = readAnswer(response(output), ids()).choices[0] ?? {};
    expect(message).toMatchObject({
      tool_calls: [{ id: 'call_fresh' }],
      provider_blocks: { blocks: [{}, { type: 'function_call', call_id: 'call_fresh' }, {}] },
    });
    expect(assembled(readStream(streamOf(response(output)), ids()))).toMatchObject({
      tool_calls: [{ id: 'call_fresh' }],
      provider_blocks: { blocks: [{}, { call_id: 'call_fresh' }, {}] },
    });
  });

  it('that has not ended is no answer', () => {
    for (const status of ['queued', 'in_progress', 'cancelled']) {
      expect(() => readAnswer(response([says('Hi')], { status }))).toThrow(
        expect.objectContaining({ error: 'truncated' }),
      );
    }
    expect(() => readAnswer({ object: 'response', status: 'completed' })).toThrow(
      expect.objectContaining({ error: 'malformed' }),
    );
  });

  it('has no more items and calls than an answer may have', () => {
    const many = (count: number, item: JsonObject) => response(Array.from({ length: count }, () => item));
    for (const one of [many(MAX_BLOCKS + 1, says('')), many(MAX_CALLS + 1, use('', '{}'))]) {
      expect(() => readAnswer(one)).toThrow(expect.objectContaining({ error: 'malformed' }));
      expect(() => readStream(streamOf(one))).toThrow(expect.objectContaining({ error: 'malformed' }));
    }
  });
});

describe('a stream of a response, in terms of a chat', () => {
  const added = (output_index: number, item: JsonObject) => ({
    type: 'response.output_item.added',
    output_index,
    item,
  });
  const done = (output_index: number, item: JsonObject) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  });
  const end = (output: readonly JsonObject[]) => ({ type: 'response.completed', response: response(output) });

  it('has calls that come at the same time, each whole', () => {
    const args = (output_index: number, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta,
    });
    const [one, two] = [use('c1', '{"a":1}'), use('c2', '{"b":2}')];
    const events = [
      added(0, { ...one, arguments: '' }),
      added(1, { ...two, arguments: '' }),
      args(1, '{"b'),
      args(0, '{"a"'),
      args(1, '":2}'),
      args(0, ':1}'),
      done(1, two),
      done(0, one),
      end([one, two]),
    ];
    expect(assembled(readStream(events)).tool_calls).toEqual([call('c1', '{"a":1}'), call('c2', '{"b":2}')]);
  });

  it('has every item of a host that gives all the same number', () => {
    const items = [says('Hi'), use('c1', '{}')];
    const events = [...items.flatMap((item) => [added(0, item), done(0, item)]), end(items)];
    expect(assembled(readStream(events))).toMatchObject({ content: 'Hi', tool_calls: [call('c1', '{}')] });
  });

  it('has the texts of a host that does not say which item begins', () => {
    const events = [
      { type: 'response.reasoning.delta', item_id: 'rs_1', content_index: 0, delta: 'Hm' },
      { type: 'response.output_text.delta', item_id: 'msg_1', content_index: 0, delta: 'Hi' },
      { type: 'response.completed', response: response([]) },
    ];
    expect(assembled(readStream(events))).toMatchObject({ content: 'Hi', reasoning: 'Hm' });
  });

  it('tells the counts of a response that failed, and no end', () => {
    const failed = { type: 'response.failed', response: response([], { status: 'failed' }) };
    const types = readStream([failed]).map(({ type }) => type);
    expect(types).toContain('usage');
    expect(types).not.toContain('finish');
  });

  it('passes over events that nobody knows', () => {
    const strange = [
      { type: 'keepalive' },
      { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
      { type: 'response.brand_new', delta: 'x' },
    ];
    expect(readStream(strange)).toEqual([]);
  });
});
