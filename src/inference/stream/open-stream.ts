import type { Sink } from '../../base/push-stream.js';
import type { UpstreamAdapter, UpstreamCall, UpstreamEvent } from '../attempts/adapter.js';
import type { Deadlines } from '../attempts/deadlines.js';
import { UpstreamFailure } from '../attempts/failure.js';
import { isFirstContent, StreamUsage } from './stream-usage.js';

/** An attempt's stream that has come to its first content, from there on. */
export interface OpenStream {
  /** Counts the events before the first content, and those that its reader adds. */
  readonly streamUsage: StreamUsage;
  /** To be called once. */
  pipeTo(sink: Sink<UpstreamEvent>): void;
  resume(): void;
  /** Releases the connection to the provider, wherever its answer is. */
  close(): void;
}

/** Reads up to the first content, or to the end of an answer without any. Rejects when the stream ends before. */
export function openStream(
  adapter: UpstreamAdapter,
  call: UpstreamCall,
  deadlines: Deadlines,
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const stream = new OpeningStream(adapter, call, deadlines, resolve, (thrown) => {
      stream.close();
      reject(thrown);
    });
    stream.open();
  });
}

type Ending = { readonly error: unknown } | 'ended';

class OpeningStream implements OpenStream, Sink<UpstreamEvent> {
  readonly streamUsage = new StreamUsage();
  readonly #source: ReturnType<UpstreamAdapter['stream']>;
  readonly #deadlines: Deadlines;
  readonly #resolve: (stream: OpenStream) => void;
  readonly #reject: (thrown: unknown) => void;
  #isOpen = false;
  #isClosed = false;
  #sink: Sink<UpstreamEvent> | undefined;
  /** What came before there was a sink. */
  #pending: readonly UpstreamEvent[] = [];
  #ending: Ending | undefined;

  constructor(
    adapter: UpstreamAdapter,
    call: UpstreamCall,
    deadlines: Deadlines,
    resolve: (stream: OpenStream) => void,
    reject: (thrown: unknown) => void,
  ) {
    this.#source = adapter.stream(call);
    this.#deadlines = deadlines;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  open(): void {
    this.#source.pipeTo(this);
  }

  pipeTo(sink: Sink<UpstreamEvent>): void {
    this.#sink = sink;
    const takesMore = sink.take(this.#pending);
    this.#pending = [];
    if (this.#ending === 'ended') sink.end();
    else if (this.#ending !== undefined) sink.fail(this.#ending.error);
    else if (takesMore) this.#source.resume();
  }

  resume(): void {
    this.#source.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#deadlines.abandon();
    // The answer is complete or has failed already.
    this.#source.close().catch(() => undefined);
  }

  take(events: readonly UpstreamEvent[]): boolean {
    if (this.#isClosed) return false;
    if (this.#sink !== undefined) return this.#sink.take(events);
    const first = events.findIndex(isFirstContent);
    for (const event of first < 0 ? events : events.slice(0, first)) this.streamUsage.add(event);
    if (first < 0) return true;
    this.#deadlines.firstContent();
    this.#pending = events.slice(first);
    this.#isOpen = true;
    this.#resolve(this);
    return false;
  }

  end(): void {
    if (this.#isClosed) return;
    if (this.#sink !== undefined) this.#sink.end();
    else if (this.#isOpen) this.#ending = 'ended';
    else this.#reject(this.#deadlines.abortedWith ?? truncated());
  }

  fail(error: unknown): void {
    if (this.#isClosed) return;
    if (this.#sink !== undefined) this.#sink.fail(error);
    else if (this.#isOpen) this.#ending = { error };
    else this.#reject(error);
  }
}

/** The provider ended the answer before all that had begun was finished. */
export function truncated(): UpstreamFailure {
  return new UpstreamFailure('The provider ended the answer before it was complete', {
    kind: 'upstream_error',
    error: 'truncated',
  });
}
