import type { ChatChunk, ChunkChoice } from '../../formats/chat/types.js';
import type { UpstreamEvent } from '../attempts/adapter.js';
import type { StreamUsage } from './stream-usage.js';

/** Members that all chunks of an answer share. */
export type ChunkHead = Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider'>;

/** Writes the events of one answer as chunks. */
export class ChunkWriter {
  readonly #head: ChunkHead;
  readonly #streamUsage: StreamUsage;
  readonly #begun = new Set<number>();

  constructor(head: ChunkHead, streamUsage: StreamUsage) {
    this.#head = head;
    this.#streamUsage = streamUsage;
  }

  chunk(choices: readonly ChunkChoice[]): ChatChunk {
    const { id, created, model, provider } = this.#head;
    const system_fingerprint = this.#streamUsage.fingerprint;
    return { id, object: 'chat.completion.chunk', created, model, provider, choices, system_fingerprint };
  }

  /** The event as a chunk; undefined for one that only counts. The first of a choice carries the role. */
  write(event: UpstreamEvent): ChatChunk | undefined {
    if (event.type !== 'delta' && event.type !== 'finish') return undefined;
    const { index } = event;
    const isBegun = this.#begun.has(index);
    if (!isBegun) this.#begun.add(index);
    if (event.type === 'finish') {
      return this.chunk([
        choice(index, isBegun ? {} : { role: 'assistant' }, event.reason, event.nativeReason),
      ]);
    }
    const delta = isBegun ? event.delta : { role: 'assistant', ...event.delta };
    return this.chunk([choice(index, delta, null, null, event.logprobs)]);
  }

  /** Ends all unfinished choices with this reason. */
  end(reason: 'error' | 'length'): ChatChunk {
    return this.chunk(this.#streamUsage.unfinished.map((index) => choice(index, {}, reason)));
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
