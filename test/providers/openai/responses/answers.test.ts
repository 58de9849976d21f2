import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/formats/chat/types.js';
import { readResponse } from '../../../../src/providers/openai/responses/answer.js';
import { call, message, response, says, search, text, thought, use } from './response.fixture.js';
import { assembled, readStream, STYLES, streamOf } from './stream.fixture.js';

const detail = (index: number, members: JsonObject) => ({ ...members, format: 'openai-responses-v1', index });
const sealed = (index: number, id: string, place = id) =>
  detail(index, { type: 'reasoning.encrypted', data: `sealed ${id}`, id: place });
const summary = (index: number, words: string, id?: string) =>
  detail(index, { type: 'reasoning.summary', summary: words, ...(id !== undefined && { id }) });
const blocks = (...items: readonly unknown[]) => ({
  provider_blocks: { format: 'openai-responses-v1', blocks: items },
});

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
  const { role, content, refusal, ...others } = readResponse(response(output)).choices[0]?.message ?? {};

  it('in one piece', () => {
    expect({ content: content ?? '', ...(refusal && { refusal }), ...others }).toEqual(expected);
  });

  it.each(STYLES)('as the same, streamed in the style "%s"', (style) => {
    expect(assembled(readStream(streamOf(response(output), style)))).toEqual(expected);
  });
});
