import type { ChatChunk } from '../chat/types.js';
import type { WritingRules } from './answer.js';
import type { MessagesEvent } from './types.js';

/** What the first event of a stream tells. */
export interface StreamHead {
  /** The generation's id. */
  readonly id: string;
  readonly model: string;
  /** An estimate: providers count at the end. */
  readonly promptTokens: number;
  readonly requestId: string | null;
}

/**
 * Writes the chunks of one streamed chat as events: `message_start` before the first, `message_delta` and `message_stop`
 * with the chunk that has the usage, and `error` with the one that has an error.
 */
export declare class StreamWriter {
  constructor(head: StreamHead, rules: WritingRules);
  write(chunk: ChatChunk): MessagesEvent[];
}

/** Says in silence that the stream lives; may come anywhere, even before `message_start`. */
export const PING: MessagesEvent = { type: 'ping' };
