import type { Problem } from '../../base/problem.js';
import { brokenStreamType, errorWords } from '../../formats/chat/error.js';
import type { ChatChunk, ChunkChoice, JsonObject, Usage } from '../../formats/chat/types.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import type { UpstreamFailure } from '../ports/failure.js';
import { NO_MEMBERS, type StreamUsage } from '../ports/stream-usage.js';

/** Members that all chunks of an answer have in common. */
export type ChunkHead = Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider'>;

/** Writes the events of one answer as chunks. The last chunk has no choices, and all members of the answer. */
export class ChunkWriter implements StreamWriter<ChatChunk> {
  readonly #head: ChunkHead;
  readonly #streamUsage: StreamUsage;
  readonly #begun = new Set<number>();
  /** Members of the answer that the next chunk will have. */
  #news: JsonObject;

  constructor(head: ChunkHead, streamUsage: StreamUsage) {
    this.#head = head;
    this.#streamUsage = streamUsage;
    this.#news = streamUsage.members;
  }

  /** Events that only count something write nothing. The first chunk of a choice has the role. */
  write(event: UpstreamEvent, chunks: ChatChunk[]): void {
    if (event.type === 'members') this.#news = { ...this.#news, ...event.members };
    if (event.type !== 'delta' && event.type !== 'finish') return;
    const { index } = event;
    const isBegun = this.#begun.has(index);
    if (!isBegun) this.#begun.add(index);
    if (event.type === 'finish') {
      const delta = isBegun ? {} : { role: 'assistant' };
      chunks.push(this.#withNews(choice(index, delta, event.reason, event.nativeReason)));
      return;
    }
    const delta = isBegun ? event.delta : { role: 'assistant', ...event.delta };
    chunks.push(this.#withNews(choice(index, delta, null, null, event.logprobs)));
  }

  cutOff(): readonly ChatChunk[] {
    return [this.#unfinished('length')];
  }

  end(usage: Usage): readonly ChatChunk[] {
    return [{ ...this.#streamUsage.members, ...this.#chunk([]), usage }];
  }

  fail(problem: Problem, failure: UpstreamFailure | null): readonly ChatChunk[] {
    return [{ ...this.#unfinished('error'), error: chunkError(problem, failure) }];
  }

  /** Finishes all unfinished choices with this reason. */
  #unfinished(reason: 'error' | 'length'): ChatChunk {
    return this.#chunk(this.#streamUsage.unfinished.map((index) => choice(index, {}, reason)));
  }

  #withNews(choice: ChunkChoice): ChatChunk {
    const chunk = this.#chunk([choice]);
    if (this.#news === NO_MEMBERS) return chunk;
    const news = this.#news;
    this.#news = NO_MEMBERS;
    return { ...news, ...chunk };
  }

  #chunk(choices: readonly ChunkChoice[]): ChatChunk {
    const { id, created, model, provider } = this.#head;
    const { fingerprint } = this.#streamUsage;
    const object = 'chat.completion.chunk';
    // Literals, since spreading takes longer than the rest of a chunk.
    return fingerprint === null
      ? { id, object, created, model, provider, choices }
      : { id, object, created, model, provider, choices, system_fingerprint: fingerprint };
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

/** The error of a stream that broke off, as its last chunk has it. */
export function chunkError(
  problem: Problem,
  failure: UpstreamFailure | null,
): NonNullable<ChatChunk['error']> {
  const { httpStatus: code, message, reason } = problem;
  const error = { code, message, ...errorWords(problem) };
  const error_type = brokenStreamType(problem);
  const provider_error = failure?.providerError ?? null;
  if (provider_error !== null) return { ...error, metadata: { error_type, provider_error } };
  return reason === 'upstream_failed' ? error : { ...error, metadata: { error_type, reason } };
}
