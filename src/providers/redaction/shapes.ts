/** Where the answers of each format hold content. */
import type { NativeFormat } from '../../catalog/types.js';

/**
 * Which members hold content, by their names; the elements of an array have the array's shape. `media`: the data of a
 * `data:` URL is content, other URLs are not. `contents`: all texts in it are content.
 */
export type RedactedShape = 'content' | 'contents' | 'media' | { readonly [member: string]: RedactedShape };

/** Of a chat, its deltas in streams too. */
export const MESSAGE: RedactedShape = {
  content: 'content',
  refusal: 'content',
  reasoning: 'content',
  provider_blocks: {
    blocks: { text: 'content', thinking: 'content', citations: { cited_text: 'content' } },
  },
  reasoning_details: { text: 'content', summary: 'content' },
  tool_calls: { function: { arguments: 'content' }, custom: { input: 'content' } },
  function_call: { arguments: 'content' },
  images: { image_url: { url: 'media' } },
  audio: { data: 'content', transcript: 'content' },
};

export const CHOICE: RedactedShape = { message: MESSAGE };

/** Without any content. */
export const PLAIN: RedactedShape = {};

interface NativeShapes {
  /** Of an answer in one piece. */
  readonly answer: RedactedShape;
  /** Of an event of a stream. */
  readonly event: RedactedShape;
}

/** Blocks of the Messages API, their deltas in streams too. */
const BLOCK: RedactedShape = {
  text: 'content',
  thinking: 'content',
  citations: { cited_text: 'content' },
  citation: { cited_text: 'content' },
  input: 'contents',
  partial_json: 'content',
};

export const NATIVE_SHAPES: Readonly<Record<NativeFormat, NativeShapes>> = {
  messages: {
    answer: { content: BLOCK },
    event: { message: { content: BLOCK }, content_block: BLOCK, delta: BLOCK },
  },
};
