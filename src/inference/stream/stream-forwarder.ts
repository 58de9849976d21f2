/**
 * Forwards one attempt's stream to the client at the client's pace: nothing is read ahead, so a slow client slows the
 * provider down instead of filling memory.
 */
import type { ChatChunk, ChunkChoice, JsonObject } from '../../formats/chat/types.js';
import type { UpstreamAdapter, UpstreamCall, UpstreamEvent } from '../attempts/adapter.js';
import type { Deadlines } from '../attempts/deadlines.js';
import { UpstreamFailure } from '../attempts/failure.js';
import { failureOf } from '../attempts/runner.js';
import { isContent, isVisible, NO_MEMBERS, type StreamUsage } from './stream-usage.js';

/** A stream that has been read up to its first content. */
export interface OpenStream {
  readonly events: AsyncIterator<UpstreamEvent>;
  readonly first: UpstreamEvent;
  readonly streamUsage: StreamUsage;
}

/** Members that all chunks of an answer share. */
export type ChunkHead = Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider'>;

/** How a stream is opened. */
export interface Opening {
  readonly deadlines: Deadlines;
  /** Counts what comes, also of a stream that never opens. */
  readonly streamUsage: StreamUsage;
  /** Whether the client is not shown any reasoning: then other attempts may still take over after it. */
  readonly isReasoningHidden: boolean;
}

/**
 * Reads up to the first content that is shown, or to the end of an answer without any. Rejects when the stream ends
 * before.
 */
export async function openStream(
  adapter: UpstreamAdapter,
  call: UpstreamCall,
  { deadlines, streamUsage, isReasoningHidden }: Opening,
): Promise<OpenStream> {
  const events = adapter.stream(call)[Symbol.asyncIterator]();
  const isShown = isReasoningHidden ? isVisible : isContent;
  let hasContent = false;
  try {
    for (;;) {
      if (hasContent) deadlines.waiting();
      const next = await events.next();
      deadlines.arrived();
      if (deadlines.abortedWith !== undefined) throw deadlines.abortedWith;
      if (next.done === true) throw truncated();
      streamUsage.add(next.value);
      if (!hasContent && isContent(next.value)) {
        hasContent = true;
        deadlines.firstContent();
      }
      if (isShown(next.value)) {
        if (streamUsage.isComplete) deadlines.finished();
        return { events, first: next.value, streamUsage };
      }
    }
  } catch (thrown) {
    await release(events, deadlines);
    throw thrown;
  }
}

/** The rest of an open stream, as chunks. */
export class StreamForwarder {
  readonly #stream: OpenStream;
  readonly #head: ChunkHead;
  readonly #deadlines: Deadlines;
  readonly #begun = new Set<number>();
  #first: UpstreamEvent | undefined;
  /** Members of the answer that the next chunk tells. */
  #news: JsonObject;

  constructor(stream: OpenStream, head: ChunkHead, deadlines: Deadlines) {
    this.#stream = stream;
    this.#head = head;
    this.#deadlines = deadlines;
    this.#first = stream.first;
    this.#news = stream.streamUsage.members;
  }

  /** The next chunk; undefined when the answer is complete. Rejects with `UpstreamFailure` when it breaks off. */
  async next(): Promise<ChatChunk | undefined> {
    for (;;) {
      const event = this.#first ?? (await this.#pull());
      this.#first = undefined;
      if (event === undefined) return undefined;
      if (event.type === 'members') this.#news = { ...this.#news, ...event.members };
      if (event.type === 'delta' || event.type === 'finish') return this.#told([this.#chunkChoice(event)]);
    }
  }

  /** The last chunk, which has no choices and all members of the answer. */
  lastChunk(): ChatChunk {
    return { ...this.#stream.streamUsage.members, ...this.chunk([]) };
  }

  #told(choices: readonly ChunkChoice[]): ChatChunk {
    const chunk = this.chunk(choices);
    if (this.#news === NO_MEMBERS) return chunk;
    const told = { ...this.#news, ...chunk };
    this.#news = NO_MEMBERS;
    return told;
  }

  chunk(choices: readonly ChunkChoice[]): ChatChunk {
    const { id, created, model, provider } = this.#head;
    const { fingerprint } = this.#stream.streamUsage;
    const chunk: ChatChunk = { id, object: 'chat.completion.chunk', created, model, provider, choices };
    return fingerprint === null ? chunk : { ...chunk, system_fingerprint: fingerprint };
  }

  /** Ends all unfinished choices with this reason. */
  endChoices(reason: 'error' | 'length'): readonly ChunkChoice[] {
    return this.#stream.streamUsage.unfinished.map((index) => choice(index, {}, reason));
  }

  /** Releases the connection to the provider, wherever its answer is. */
  async release(): Promise<void> {
    await release(this.#stream.events, this.#deadlines);
  }

  /** undefined at the end. Once all choices are finished only usage can be missing, so failures are ignored from then on. */
  async #pull(): Promise<UpstreamEvent | undefined> {
    const { events, streamUsage } = this.#stream;
    try {
      this.#deadlines.waiting();
      const next = await events.next();
      this.#deadlines.arrived();
      if (this.#deadlines.abortedWith !== undefined) throw this.#deadlines.abortedWith;
      if (next.done !== true) {
        streamUsage.add(next.value);
        if (next.value.type === 'finish' && streamUsage.isComplete) this.#deadlines.finished();
        return next.value;
      }
      if (!streamUsage.isEnded) throw truncated();
    } catch (thrown) {
      const failure = failureOf(thrown, this.#deadlines);
      if (failure.kind === 'cancelled' || !streamUsage.isComplete) throw failure;
    }
    return undefined;
  }

  #chunkChoice(event: UpstreamEvent & { type: 'delta' | 'finish' }): ChunkChoice {
    const { index } = event;
    const isBegun = this.#begun.has(index);
    if (!isBegun) this.#begun.add(index);
    if (event.type === 'finish') {
      return choice(index, isBegun ? {} : { role: 'assistant' }, event.reason, event.nativeReason);
    }
    const delta = isBegun ? event.delta : { role: 'assistant', ...event.delta };
    return choice(index, delta, null, null, event.logprobs);
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

/** Errors are ignored, since the answer is complete or has failed already. */
async function release(events: AsyncIterator<UpstreamEvent>, deadlines: Deadlines): Promise<void> {
  deadlines.abandon();
  await Promise.resolve(events.return?.()).catch(() => undefined);
}

function truncated(): UpstreamFailure {
  return new UpstreamFailure('The provider ended the answer before it was complete', {
    kind: 'upstream_error',
    error: 'truncated',
  });
}
