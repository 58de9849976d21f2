import type { ChatChunk, ChunkChoice, FinishReason, Usage } from '../../chat/types.js';
import type { MessagesEvent } from '../types.js';
import type { WritingRules } from '../writing-rules.js';
import { emptyAnswer, endingOf, messagesUsage, noUsage } from './answer.js';
import { BlockWriter } from './block-writer.js';

/** What the first event of a stream says. */
export interface StreamHead {
  /** The generation's id. */
  readonly id: string;
  readonly model: string;
  /** An estimate: providers send their count at the end. */
  readonly promptTokens: number;
}

/**
 * Writes the chunks of one streamed chat as events: `message_start` before the first, `message_delta` and
 * `message_stop` with the chunk that has the usage. The end of a stream that breaks off is written elsewhere.
 */
export class MessagesEventWriter {
  readonly #head: StreamHead;
  readonly #blocks: BlockWriter;
  #hasBegun = false;
  #reason: FinishReason = 'stop';
  #native: string | null = null;
  #refusal = '';
  #tier: unknown;

  constructor(head: StreamHead, rules: WritingRules) {
    this.#head = head;
    this.#blocks = new BlockWriter(rules);
  }

  /** Whether the answer has a thought that can't be sent back to its model. */
  get hasForgotten(): boolean {
    return this.#blocks.hasForgotten;
  }

  /** `written1hTokens` as in an answer in one piece; it is used with the chunk that has the usage. */
  write(chunk: ChatChunk, written1hTokens = 0): MessagesEvent[] {
    const events = this.#begin();
    for (const choice of chunk.choices) if (choice.index === 0) events.push(...this.#read(choice));
    this.#tier = chunk.service_tier ?? this.#tier;
    if (chunk.usage !== undefined) events.push(...this.#end(chunk.usage, written1hTokens));
    return events;
  }

  #begin(): MessagesEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { id, model, promptTokens } = this.#head;
    return [{ type: 'message_start', message: emptyAnswer(id, model, noUsage(promptTokens)) }];
  }

  #read({ delta, finish_reason, native_finish_reason }: ChunkChoice): MessagesEvent[] {
    this.#refusal += delta.refusal ?? '';
    this.#reason = finish_reason ?? this.#reason;
    this.#native = native_finish_reason ?? this.#native;
    return this.#blocks.write(delta);
  }

  #end(usage: Usage, written1hTokens: number): MessagesEvent[] {
    const events = this.#blocks.end();
    const { stop_reason, stop_sequence, stop_details } = endingOf({
      reason: this.#reason,
      native: this.#native,
      refusal: this.#refusal,
      hasCalls: this.#blocks.hasCalls,
    });
    return [
      ...events,
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence, stop_details, container: null },
        usage: messagesUsage(usage, written1hTokens, this.#tier),
      },
      { type: 'message_stop' },
    ];
  }
}
