/** Answers of a hostile provider, as large as each may be. */
import { gzipSync } from 'node:zlib';
import { floodShapes, frameShapes } from './answer-floods.js';
import type { AnswerShape, Protocol, ScriptedAnswer } from './answer-shape.js';
import { BULKS, event, LARGE_BYTES, MIB, SSE_TYPE } from './bulks.js';

const BOMB_BYTES = 1024 * MIB;
const JSON_TYPE = { 'content-type': 'application/json' };

/** What an answer in one piece may have, with all that is around what it is made large of. */
const LESS_BYTES = 8 * MIB - 1024;
const WHOLE_BYTES: Readonly<Record<Protocol, number>> = {
  openai: LARGE_BYTES,
  azure: LARGE_BYTES,
  anthropic: LESS_BYTES,
  messages: LESS_BYTES,
  bedrock: LESS_BYTES,
  vertex: LARGE_BYTES,
};

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
        shape(`${bulkName} as ${place}`, () => json(put(bulk(WHOLE_BYTES[protocol])))),
      ),
      ...shape(`${bulkName} as all of it`, () => json(bulk(WHOLE_BYTES[protocol]))),
      ...shape(`${bulkName} as an error`, () => json(bulk(WHOLE_BYTES[protocol]), 400)),
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
