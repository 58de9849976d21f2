/** Streams that have too much of something small. */
import { encodeBytes, textHeader } from '../../support/fakes/fake-bedrock/frames.js';
import type { AnswerShape, Protocol } from './answer-shape.js';
import { BULKS, event, LARGE_BYTES, MIB, numbered, repeated, SSE_TYPE } from './bulks.js';

const LINE_BYTES = 100 * MIB;
const FRAMES_TYPE = { 'content-type': 'application/vnd.amazon.eventstream' };

const START = '{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1}}}';
const BLOCK = '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}';

/** Streams of very many small things, or of one without end. */
const FLOODS: readonly (readonly [name: string, protocol: Protocol, make: () => string])[] = [
  ['a line without end', 'openai', () => `data: ${repeated('a', LINE_BYTES)}`],
  ['lines of data without end', 'openai', () => repeated('data:\n', LINE_BYTES)],
  ['empty lines', 'openai', () => repeated('\n', LINE_BYTES)],
  ['empty lines before a carriage return', 'openai', () => repeated(`${'\n'.repeat(65_000)}\r`, LINE_BYTES)],
  ['comments', 'openai', () => repeated(':\n', LINE_BYTES)],
  ['empty events', 'openai', () => repeated(event('{}'), LARGE_BYTES)],
  [
    'events of one character',
    'openai',
    () => repeated(event('{"choices":[{"delta":{"content":"a"}}]}'), LARGE_BYTES),
  ],
  [
    'choices',
    'openai',
    () => numbered((n) => event(`{"choices":[{"index":${n},"delta":{"content":"a"}}]}`), LARGE_BYTES),
  ],
  [
    'calls',
    'openai',
    () =>
      numbered(
        (n) =>
          event(
            `{"choices":[{"delta":{"tool_calls":[{"index":${n},"id":"c${n}","function":{"name":"f","arguments":"{}"}}]}}]}`,
          ),
        LARGE_BYTES,
      ),
  ],
  [
    'members',
    'openai',
    () => numbered((n) => event(`{"m${n}":1,"choices":[{"delta":{"content":"a"}}]}`), LARGE_BYTES),
  ],
  ...(['anthropic', 'messages'] as const).flatMap((protocol) => [
    [
      'blocks',
      protocol,
      () =>
        event(START) +
        numbered(
          (n) =>
            event(`{"type":"content_block_start","index":${n},"content_block":{"type":"text","text":"a"}}`),
          LARGE_BYTES,
        ),
    ] as const,
    [
      'citations',
      protocol,
      () =>
        event(START) +
        event(BLOCK) +
        repeated(
          event(
            '{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"cited_text":"a"}}}',
          ),
          LARGE_BYTES,
        ),
    ] as const,
    [
      'deltas',
      protocol,
      () =>
        event(START) +
        event(BLOCK) +
        repeated(
          event('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}'),
          LARGE_BYTES,
        ),
    ] as const,
    [
      'pings behind the stop reason',
      protocol,
      () =>
        event(START) +
        event('{"type":"message_delta","delta":{"stop_reason":"end_turn"}}') +
        repeated(event('{"type":"ping"}'), LARGE_BYTES),
    ] as const,
    [
      'counts',
      protocol,
      () => numbered((n) => event(`{"type":"message_start","message":{"usage":{"n${n}":1}}}`), LARGE_BYTES),
    ] as const,
  ]),
  [
    'candidates',
    'vertex',
    () =>
      numbered(
        (n) => event(`{"candidates":[{"index":${n},"content":{"parts":[{"text":"a"}]}}]}`),
        LARGE_BYTES,
      ),
  ],
  [
    'kinds of tokens',
    'vertex',
    () =>
      numbered(
        (n) => event(`{"usageMetadata":{"promptTokensDetails":[{"modality":"M${n}","tokenCount":1}]}}`),
        LARGE_BYTES,
      ),
  ],
];

/** Streams of them. */
export function floodShapes(): AnswerShape[] {
  return FLOODS.map(([name, protocol, make]) => ({
    name,
    protocol,
    isStreamed: true,
    make: () => ({ status: 200, headers: SSE_TYPE, body: Buffer.from(make()) }),
  }));
}

/** Frames of Amazon's event stream. */
export function frameShapes(): AnswerShape[] {
  const frame = (type: string, payload: string, more: Buffer = Buffer.alloc(0)) =>
    encodeBytes(
      Buffer.concat([textHeader([':message-type', 'event']), textHeader([':event-type', type]), more]),
      Buffer.from(payload),
    );
  const shape = (name: string, make: () => Buffer): AnswerShape => ({
    name,
    protocol: 'bedrock',
    isStreamed: true,
    make: () => ({ status: 200, headers: FRAMES_TYPE, body: make() }),
  });
  const delta = (payload: string) => frame('contentBlockDelta', payload);
  const many = (one: Buffer) => Buffer.concat(Array.from({ length: LARGE_BYTES / one.length }, () => one));
  return [
    ...BULKS.map(([name, bulk]) =>
      shape(`${name} as the delta of a frame`, () =>
        delta(`{"contentBlockIndex":0,"delta":{"text":"a","x":${bulk(LARGE_BYTES)}}}`),
      ),
    ),
    shape('empty frames', () => many(frame('other', '{}'))),
    shape('frames of one character', () => many(delta('{"contentBlockIndex":0,"delta":{"text":"a"}}'))),
    shape('headers without values', () => frame('other', '{}', Buffer.alloc(LARGE_BYTES))),
    shape('calls', () =>
      Buffer.concat(
        Array.from({ length: 100_000 }, (_, index) =>
          frame(
            'contentBlockStart',
            `{"contentBlockIndex":${index},"start":{"toolUse":{"toolUseId":"c${index}","name":"f"}}}`,
          ),
        ),
      ),
    ),
  ];
}
