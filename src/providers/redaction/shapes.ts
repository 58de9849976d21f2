/** Where the answers of each format have content. */
import type { NativeFormat } from '../../catalog/types.js';

/**
 * The members that are content, by name. The elements of an array have the array's shape. `media`: the data of a
 * `data:` URL is content, other URLs are not. `contents`: all texts in it are content.
 */
export type RedactedShape = 'content' | 'contents' | 'media' | { readonly [member: string]: RedactedShape };

/** A part of an item of the Responses API. */
const PART = {
  text: 'content',
  refusal: 'content',
  logprobs: 'contents',
  annotations: 'contents',
} as const satisfies RedactedShape;

/** An item of the Responses API; of tools that hosts run, all that they found and made. */
const ITEM = {
  content: PART,
  summary: PART,
  arguments: 'content',
  input: 'content',
  output: 'contents',
  result: 'contents',
  results: 'contents',
  outputs: 'contents',
  code: 'content',
  action: 'contents',
  queries: 'contents',
  operation: 'contents',
} as const satisfies RedactedShape;

/** A chat's message, or a delta of it. */
export const MESSAGE: RedactedShape = {
  content: 'content',
  refusal: 'content',
  reasoning: 'content',
  provider_blocks: {
    blocks: {
      ...ITEM,
      text: 'content',
      thinking: 'content',
      citations: { cited_text: 'content' },
      input: 'contents',
    },
  },
  reasoning_details: { text: 'content', summary: 'content' },
  tool_calls: { function: { arguments: 'content' }, custom: { input: 'content' } },
  function_call: { arguments: 'content' },
  images: { image_url: { url: 'media' } },
  audio: { data: 'content', transcript: 'content' },
};

export const CHOICE: RedactedShape = { message: MESSAGE };

/** Nothing in it is content. */
export const PLAIN: RedactedShape = {};

interface NativeShapes {
  /** The shape of an answer in one piece. */
  readonly answer: RedactedShape;
  /** The shape of an event of a stream. */
  readonly event: RedactedShape;
}

/** A block of the Messages API, or a delta of it. */
const BLOCK: RedactedShape = {
  text: 'content',
  thinking: 'content',
  citations: { cited_text: 'content' },
  citation: { cited_text: 'content' },
  input: 'contents',
  partial_json: 'content',
};

/** A text completion, in one piece or in chunks; some hosts answer with the messages of chats. */
const COMPLETION: RedactedShape = {
  choices: { text: 'content', message: MESSAGE, delta: MESSAGE, logprobs: 'contents' },
};

export const NATIVE_SHAPES: Readonly<Record<NativeFormat, NativeShapes>> = {
  messages: {
    answer: { content: BLOCK },
    event: { message: { content: BLOCK }, content_block: BLOCK, delta: BLOCK },
  },
  responses: {
    answer: { output: ITEM },
    event: {
      response: { output: ITEM },
      item: ITEM,
      part: PART,
      delta: 'content',
      text: 'content',
      refusal: 'content',
      arguments: 'content',
      input: 'content',
      code: 'content',
      annotation: 'contents',
      logprobs: 'contents',
      partial_image_b64: 'content',
    },
  },
  completions: { answer: COMPLETION, event: COMPLETION },
  embeddings: { answer: PLAIN, event: PLAIN },
  rerank: { answer: PLAIN, event: PLAIN },
};
