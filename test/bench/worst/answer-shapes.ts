/** Answers of a hostile provider, as large as each may be. */
import { gzipSync } from 'node:zlib';
import { encodeBytes, textHeader } from '../../support/fakes/fake-bedrock/frames.js';

/** The protocols that are answered, by the provider's slug; `messages` is called in its own format. */
export type Protocol = 'openai' | 'azure' | 'anthropic' | 'messages' | 'bedrock' | 'vertex';

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A bad answer to a request in one piece or for a stream. */
export interface AnswerShape {
  readonly name: string;
  readonly protocol: Protocol;
  readonly isStreamed: boolean;
  make(): ScriptedAnswer;
}

const MIB = 1024 * 1024;
const LARGE_BYTES = 15 * MIB;
const LINE_BYTES = 100 * MIB;
const BOMB_BYTES = 1024 * MIB;

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE_TYPE = { 'content-type': 'text/event-stream' };
const FRAMES_TYPE = { 'content-type': 'application/vnd.amazon.eventstream' };

/** JSON of so many bytes that takes more to handle than to send. */
const BULKS: readonly (readonly [name: string, make: (bytes: number) => string])[] = [
  ['objects', (bytes) => `[${repeated('{},', bytes)}{}]`],
  ['nested lists', (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
  ['nested objects', (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`],
  ['numbers', (bytes) => `[${repeated('1,', bytes)}1]`],
  ['names', (bytes) => `{${numbered((n) => `"n${n}":1,`, bytes)}"z":1}`],
  ['escapes', (bytes) => `"${repeated('\\u00e9', bytes)}"`],
  ['text', (bytes) => `"${repeated('lorem ipsum ', bytes)}"`],
  ['digits', (bytes) => repeated('9', bytes)],
  ['within every limit', () => `[${repeated('{"a":[1,2,3,4]},', (49_000 / 2) * 16)}{}]`],
];

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / text.length));
}

function numbered(make: (position: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let position = 0, length = 0; length < bytes; position += 1) {
    const part = make(position);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

type Place = (bulk: string) => string;

/** Where in an answer in one piece JSON may be. */
const WHOLE: Readonly<Record<Protocol, Readonly<Record<string, Place>>>> = {
  openai: openAiPlaces(),
  azure: { 'a member': (bulk) => `{"x":${bulk},"choices":[{"message":{"content":"a"}}]}` },
  anthropic: anthropicPlaces(),
  messages: anthropicPlaces(),
  bedrock: {
    'its content': (bulk) => `{"output":{"message":{"content":${bulk}}},"stopReason":"end_turn"}`,
    'the input of a call': (bulk) =>
      `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"a","name":"b","input":${bulk}}}]}},"stopReason":"tool_use"}`,
    trace: (bulk) =>
      `{"output":{"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn","trace":${bulk}}`,
  },
  vertex: {
    candidates: (bulk) => `{"candidates":${bulk}}`,
    parts: (bulk) => `{"candidates":[{"content":{"parts":${bulk}},"finishReason":"STOP"}]}`,
    'arguments of a call': (bulk) =>
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":${bulk}}}]},"finishReason":"STOP"}]}`,
    sources: (bulk) =>
      `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","groundingMetadata":{"groundingChunks":${bulk}}}]}`,
  },
};

function openAiPlaces(): Record<string, Place> {
  const message = (members: string) =>
    `{"choices":[{"message":{"content":"a",${members}},"finish_reason":"stop"}]}`;
  return {
    choices: (bulk) => `{"choices":${bulk}}`,
    content: (bulk) => `{"choices":[{"message":{"content":${bulk}},"finish_reason":"stop"}]}`,
    'calls of tools': (bulk) => message(`"tool_calls":${bulk}`),
    arguments: (bulk) =>
      message(`"tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":${bulk}}}]`),
    'arguments in a text': (bulk) =>
      message(
        `"tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":${JSON.stringify(bulk)}}}]`,
      ),
    'reasoning details': (bulk) => message(`"reasoning_details":${bulk}`),
    'log probabilities': (bulk) =>
      `{"choices":[{"message":{"content":"a"},"logprobs":{"content":${bulk}},"finish_reason":"stop"}]}`,
    usage: (bulk) => `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":${bulk}}`,
    'a member': (bulk) => `{"x":${bulk},"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`,
    error: (bulk) => `{"error":${bulk}}`,
  };
}

function anthropicPlaces(): Record<string, Place> {
  const head = '"type":"message","role":"assistant","stop_reason":"end_turn"';
  return {
    content: (bulk) => `{${head},"content":${bulk}}`,
    'the input of a call': (bulk) =>
      `{${head},"content":[{"type":"tool_use","id":"a","name":"b","input":${bulk}}]}`,
    'a text': (bulk) => `{${head},"content":[{"type":"text","text":${bulk}}]}`,
    citations: (bulk) => `{${head},"content":[{"type":"text","text":"a","citations":${bulk}}]}`,
    usage: (bulk) => `{${head},"content":[{"type":"text","text":"a"}],"usage":${bulk}}`,
  };
}

/** Where in an event of a stream it may be, and what comes before that event. */
const EVENTS: Readonly<Record<Protocol, Readonly<Record<string, Place>>>> = {
  openai: {
    choices: (bulk) => `{"choices":${bulk}}`,
    delta: (bulk) => `{"choices":[{"index":0,"delta":{"content":"a","x":${bulk}}}]}`,
    content: (bulk) => `{"choices":[{"index":0,"delta":{"content":${bulk}}}]}`,
    'calls of tools': (bulk) => `{"choices":[{"index":0,"delta":{"tool_calls":${bulk}}}]}`,
    'a member': (bulk) => `{"x":${bulk},"choices":[{"index":0,"delta":{"content":"a"}}]}`,
    usage: (bulk) => `{"choices":[],"usage":${bulk}}`,
  },
  azure: {},
  anthropic: anthropicEvents(),
  messages: anthropicEvents(),
  bedrock: {},
  vertex: {
    candidates: (bulk) => `{"candidates":${bulk}}`,
    parts: (bulk) => `{"candidates":[{"content":{"parts":${bulk}}}]}`,
  },
};

function anthropicEvents(): Record<string, Place> {
  return {
    'a block': (bulk) =>
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":${bulk}}}`,
    'a delta': (bulk) =>
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${bulk}}}`,
    usage: (bulk) => `{"type":"message_start","message":{"content":[],"usage":${bulk}}}`,
  };
}

const START = '{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1}}}';
const BLOCK = '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}';
const event = (data: string) => `data: ${data}\n\n`;

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

/** Every bad answer of every protocol. */
export function answerShapes(): AnswerShape[] {
  const protocols = Object.keys(WHOLE) as Protocol[];
  return [
    ...protocols.flatMap(wholeShapes),
    ...protocols.flatMap(eventShapes),
    ...floodShapes(),
    ...frameShapes(),
  ];
}

function wholeShapes(protocol: Protocol): AnswerShape[] {
  const shape = (name: string, answer: () => ScriptedAnswer): AnswerShape[] =>
    [false, true].map((isStreamed) => ({ name, protocol, isStreamed, make: answer }));
  const json = (text: string, status = 200) => ({ status, headers: JSON_TYPE, body: Buffer.from(text) });
  return [
    ...BULKS.flatMap(([bulkName, bulk]) => [
      ...Object.entries(WHOLE[protocol]).flatMap(([place, put]) =>
        shape(`${bulkName} as ${place}`, () => json(put(bulk(LARGE_BYTES)))),
      ),
      ...shape(`${bulkName} as all of it`, () => json(bulk(LARGE_BYTES))),
      ...shape(`${bulkName} as an error`, () => json(bulk(LARGE_BYTES), 400)),
    ]),
    ...shape('a gzip bomb', () => ({
      status: 200,
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(BOMB_BYTES / 4, ' ')),
    })),
  ];
}

function eventShapes(protocol: Protocol): AnswerShape[] {
  return BULKS.flatMap(([bulkName, bulk]) =>
    Object.entries(EVENTS[protocol]).map(([place, put]) => ({
      name: `${bulkName} as ${place} of an event`,
      protocol,
      isStreamed: true,
      make: () => ({ status: 200, headers: SSE_TYPE, body: Buffer.from(event(put(bulk(LARGE_BYTES)))) }),
    })),
  );
}

function floodShapes(): AnswerShape[] {
  return FLOODS.map(([name, protocol, make]) => ({
    name,
    protocol,
    isStreamed: true,
    make: () => ({ status: 200, headers: SSE_TYPE, body: Buffer.from(make()) }),
  }));
}

/** Frames of Amazon's event stream. */
function frameShapes(): AnswerShape[] {
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
