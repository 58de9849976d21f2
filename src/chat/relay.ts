/**
 * Passes one attempt's stream on, piece by piece as the client takes them: nothing is read ahead, so a slow client
 * slows the provider and fills no memory.
 */
import type { UpstreamAdapter, UpstreamCall, UpstreamEvent } from './adapter.js';
import type { ChatChunk, ChunkChoice } from './dialect.js';
import { UpstreamFailure } from './failure.js';
import { failureOf } from './runner.js';
import { isFirstContent, Tally } from './tally.js';
import type { Watch } from './watch.js';

/** A stream that has come to its first content. */
export interface OpenStream {
  readonly events: AsyncIterator<UpstreamEvent>;
  readonly first: UpstreamEvent;
  readonly tally: Tally;
}

/** What all chunks of an answer have in common. */
export type ChunkHead = Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider'>;

/** Reads up to the first content, or to the end of an answer that has none. Rejects when the stream ends before. */
export async function openStream(
  adapter: UpstreamAdapter,
  call: UpstreamCall,
  watch: Watch,
): Promise<OpenStream> {
  const events = adapter.stream(call)[Symbol.asyncIterator]();
  const tally = new Tally();
  try {
    for (;;) {
      const next = await events.next();
      if (watch.abortedWith !== undefined) throw watch.abortedWith;
      if (next.done === true) throw truncated();
      tally.take(next.value);
      if (isFirstContent(next.value)) {
        watch.firstContent();
        if (tally.isComplete) watch.finished();
        return { events, first: next.value, tally };
      }
    }
  } catch (thrown) {
    await release(events, watch);
    throw thrown;
  }
}

/** The rest of an open stream, as chunks. */
export class Relay {
  readonly #stream: OpenStream;
  readonly #head: ChunkHead;
  readonly #watch: Watch;
  readonly #begun = new Set<number>();
  #first: UpstreamEvent | undefined;

  constructor(stream: OpenStream, head: ChunkHead, watch: Watch) {
    this.#stream = stream;
    this.#head = head;
    this.#watch = watch;
    this.#first = stream.first;
  }

  /** The next chunk; undefined when the answer is complete. Rejects with `UpstreamFailure` when it breaks off. */
  async next(): Promise<ChatChunk | undefined> {
    for (;;) {
      const event = this.#first ?? (await this.#pull());
      this.#first = undefined;
      if (event === undefined) return undefined;
      if (event.type === 'delta' || event.type === 'finish') return this.chunk([this.#choiceOf(event)]);
    }
  }

  /** A chunk with these choices. */
  chunk(choices: readonly ChunkChoice[]): ChatChunk {
    const { id, created, model, provider } = this.#head;
    const system_fingerprint = this.#stream.tally.fingerprint;
    return { id, object: 'chat.completion.chunk', created, model, provider, choices, system_fingerprint };
  }

  /** The choices that are left unfinished, finished for this reason. */
  endChoices(reason: 'error' | 'length'): readonly ChunkChoice[] {
    return this.#stream.tally.unfinished.map((index) => choice(index, {}, reason));
  }

  /** Lets go of the provider's answer, wherever it stands. */
  async release(): Promise<void> {
    await release(this.#stream.events, this.#watch);
  }

  /** undefined at the end. After the finish of all choices only the usage can be missing, so no fault counts any more. */
  async #pull(): Promise<UpstreamEvent | undefined> {
    const { events, tally } = this.#stream;
    try {
      this.#watch.waiting();
      const next = await events.next();
      this.#watch.arrived();
      if (this.#watch.abortedWith !== undefined) throw this.#watch.abortedWith;
      if (next.done !== true) {
        tally.take(next.value);
        if (next.value.type === 'finish' && tally.isComplete) this.#watch.finished();
        return next.value;
      }
      if (!tally.isComplete) throw truncated();
    } catch (thrown) {
      const failure = failureOf(thrown, this.#watch);
      if (failure.kind === 'cancelled' || !tally.isComplete) throw failure;
    }
    return undefined;
  }

  #choiceOf(event: UpstreamEvent & { type: 'delta' | 'finish' }): ChunkChoice {
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

/** Faults of letting go are of no consequence: the answer has been told or has failed already. */
async function release(events: AsyncIterator<UpstreamEvent>, watch: Watch): Promise<void> {
  watch.abandon();
  await Promise.resolve(events.return?.()).catch(() => undefined);
}

function truncated(): UpstreamFailure {
  return new UpstreamFailure('The provider ended the answer before it was complete', {
    kind: 'upstream_error',
    error: 'truncated',
  });
}
