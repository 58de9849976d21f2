import type { ChatChunk, ChunkChoice, JsonObject } from '../../formats/chat/types.js';
import type { UpstreamEvent } from '../attempts/adapter.js';
import { NO_MEMBERS, type StreamUsage } from './stream-usage.js';

/** Members that all chunks of an answer share. */
export type ChunkHead = Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider'>;

/** Writes the events of one answer as chunks. */
export class ChunkWriter {
  readonly #head: ChunkHead;
  readonly #streamUsage: StreamUsage;
  readonly #begun = new Set<number>();
  /** Members of the answer that the next chunk tells. */
  #news: JsonObject;

  constructor(head: ChunkHead, streamUsage: StreamUsage) {
    this.#head = head;
    this.#streamUsage = streamUsage;
    this.#news = streamUsage.members;
  }

  /** The event as a chunk; undefined for one that only counts. The first of a choice carries the role. */
  write(event: UpstreamEvent): ChatChunk | undefined {
    if (event.type === 'members') this.#news = { ...this.#news, ...event.members };
    if (event.type !== 'delta' && event.type !== 'finish') return undefined;
    const { index } = event;
    const isBegun = this.#begun.has(index);
    if (!isBegun) this.#begun.add(index);
    if (event.type === 'finish') {
      return this.#told(
        choice(index, isBegun ? {} : { role: 'assistant' }, event.reason, event.nativeReason),
      );
    }
    const delta = isBegun ? event.delta : { role: 'assistant', ...event.delta };
    return this.#told(choice(index, delta, null, null, event.logprobs));
  }

  /** Ends all unfinished choices with this reason. */
  end(reason: 'error' | 'length'): ChatChunk {
    return this.#chunk(this.#streamUsage.unfinished.map((index) => choice(index, {}, reason)));
  }

  /** The last chunk, which has no choices and all members of the answer. */
  last(): ChatChunk {
    return { ...this.#streamUsage.members, ...this.#chunk([]) };
  }

  #told(told: ChunkChoice): ChatChunk {
    const chunk = this.#chunk([told]);
    if (this.#news === NO_MEMBERS) return chunk;
    const news = this.#news;
    this.#news = NO_MEMBERS;
    return { ...news, ...chunk };
  }

  #chunk(choices: readonly ChunkChoice[]): ChatChunk {
    const { id, created, model, provider } = this.#head;
    const { fingerprint } = this.#streamUsage;
    const chunk: ChatChunk = { id, object: 'chat.completion.chunk', created, model, provider, choices };
    return fingerprint === null ? chunk : { ...chunk, system_fingerprint: fingerprint };
  }
}

function choice(
  index: number,
  delta: ChunkChoice['delta'],
  finish_reason: ChunkChoice['finish_reason'],
  native_finish_reason: string | null = null,
  logprobs: ChunkChoice['logprobs'] = null,
): ChunkChoice {
  return { index, delta, finish_reason, native_finish_reason, logprobs };
}
