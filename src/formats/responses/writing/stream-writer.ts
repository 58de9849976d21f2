import type { ChatChunk, ChunkChoice, FinishReason, Usage } from '../../chat/types.js';
import type { ResponsesStreamError } from '../transport/error.js';
import type { ResponsesEvent } from '../types.js';
import { errorEvent, errorIn, failedEvent } from './failure-events.js';
import type { UnnumberedEvent } from './item-events.js';
import { type ItemRules, ItemWriter, type Unplaced } from './item-writer.js';
import {
  incompleteBy,
  type ResponseHead,
  type ResponseState,
  responseEnding,
  responseObject,
} from './response.js';

/**
 * Writes the chunks of one streamed chat as events: `response.created` and `response.in_progress` before the first, and the
 * whole response with the chunk that has the usage.
 */
export class ResponsesEventWriter {
  readonly #head: ResponseHead;
  readonly #items: ItemWriter;
  #next = 0;
  #reason: FinishReason = 'stop';
  #tier: unknown;

  constructor(head: ResponseHead, rules: ItemRules) {
    this.#head = head;
    this.#items = new ItemWriter(head.id, rules);
  }

  get unplaced(): readonly Unplaced[] {
    return this.#items.unplaced;
  }

  /** `now` (Unix seconds) is when the answer is complete, if this is the chunk that has the usage. */
  write(chunk: ChatChunk, now: () => number): ResponsesEvent[] {
    const events = this.#begin();
    for (const choice of chunk.choices) if (choice.index === 0) events.push(...this.#read(choice));
    this.#tier = chunk.service_tier ?? this.#tier;
    if (chunk.usage !== undefined) events.push(...this.#end(chunk.usage, now()));
    return events;
  }

  /**
   * The last events of a response that broke off. What was being written is incomplete, and no event ends it: clients run a
   * call that is done.
   */
  fail(error: ResponsesStreamError, usage: Usage | null): ResponsesEvent[] {
    const events = this.#begin();
    this.#items.end('cut');
    const { output } = this.#items;
    const state = {
      status: 'failed',
      output,
      error: errorIn(error),
      ...(usage !== null && { usage }),
    } as const;
    return [...events, ...this.#numbered([errorEvent(error), failedEvent(this.#response(state))])];
  }

  #begin(): ResponsesEvent[] {
    if (this.#next > 0) return [];
    const response = this.#response({ status: 'in_progress', output: [] });
    return this.#numbered([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ]);
  }

  #read({ delta, finish_reason, logprobs }: ChunkChoice): ResponsesEvent[] {
    this.#reason = finish_reason ?? this.#reason;
    return this.#numbered(this.#items.write(delta, logprobs));
  }

  #end(usage: Usage, at: number): ResponsesEvent[] {
    const incomplete = incompleteBy(this.#reason);
    const events = this.#items.end(incomplete === undefined ? 'completed' : 'cut');
    const { output } = this.#items;
    const ending = responseEnding(incomplete, output, at);
    const response = this.#response({ ...ending, output, usage });
    return this.#numbered([...events, { type: `response.${ending.status}`, response }]);
  }

  #response(state: ResponseState) {
    return responseObject(this.#head, { ...state, tier: this.#tier });
  }

  #numbered(events: readonly UnnumberedEvent[]): ResponsesEvent[] {
    return events.map(({ type, ...members }) => ({ type, sequence_number: this.#next++, ...members }));
  }
}
