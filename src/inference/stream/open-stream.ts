import type { Sink } from '../../base/push-stream.js';
import type { Deadlines } from '../attempts/deadlines.js';
import type { NativeEvent, UpstreamAdapter, UpstreamCall, UpstreamEvent } from '../ports/adapter.js';
import { UpstreamFailure } from '../ports/failure.js';
import { isContent, isVisible, type StreamUsage } from '../ports/stream-usage.js';

/** The stream of an attempt, from its first content on. */
export interface OpenStream {
  /** Has counted the events before the first content. The reader adds the others. */
  readonly streamUsage: StreamUsage;
  /** Events before the first content that the client is sent nevertheless. */
  readonly before: readonly NativeEvent[];
  /** Call it once. */
  pipeTo(sink: Sink<UpstreamEvent>): void;
  resume(): void;
  /** Releases the connection to the provider, at any point of the answer. */
  close(): void;
}

/** How a stream is opened. */
export interface Opening {
  readonly deadlines: Deadlines;
  /** Counts what arrives, even if the stream never opens. */
  readonly streamUsage: StreamUsage;
  /** Whether the client is not shown reasoning. Other attempts may then still take over after it. */
  readonly isReasoningHidden: boolean;
}

/**
 * Reads up to the first content that is shown, or to the end of an answer without any. Rejects if the stream ends
 * before.
 */
export function openStream(
  adapter: UpstreamAdapter,
  call: UpstreamCall,
  opening: Opening,
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const stream = new OpeningStream(adapter, call, opening, resolve, (thrown) => {
      stream.close();
      reject(thrown);
    });
    stream.open();
  });
}

type Ending = { readonly error: unknown } | 'ended';

class OpeningStream implements OpenStream, Sink<UpstreamEvent> {
  readonly streamUsage: StreamUsage;
  readonly before: NativeEvent[] = [];
  readonly #source: ReturnType<UpstreamAdapter['stream']>;
  readonly #deadlines: Deadlines;
  readonly #isShown: (event: UpstreamEvent) => boolean;
  readonly #resolve: (stream: OpenStream) => void;
  readonly #reject: (thrown: unknown) => void;
  #hasContent = false;
  #isOpen = false;
  #isClosed = false;
  #sink: Sink<UpstreamEvent> | undefined;
  /** Events that arrived before there was a sink. */
  #pending: readonly UpstreamEvent[] = [];
  #ending: Ending | undefined;

  constructor(
    adapter: UpstreamAdapter,
    call: UpstreamCall,
    { deadlines, streamUsage, isReasoningHidden }: Opening,
    resolve: (stream: OpenStream) => void,
    reject: (thrown: unknown) => void,
  ) {
    this.streamUsage = streamUsage;
    this.#source = adapter.stream(call);
    this.#deadlines = deadlines;
    this.#isShown = isReasoningHidden ? isVisible : isContent;
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
    // The answer has completed or failed already.
    this.#source.close().catch(() => undefined);
  }

  take(events: readonly UpstreamEvent[]): boolean {
    if (this.#isClosed) return false;
    if (this.#sink !== undefined) return this.#sink.take(events);
    if (this.#isOpen) {
      this.#pending = [...this.#pending, ...events];
      return false;
    }
    const first = events.findIndex(this.#isShown);
    const before = first < 0 ? events : events.slice(0, first);
    for (const event of before) {
      this.streamUsage.add(event);
      if (event.type === 'native') this.before.push(event);
    }
    if (!this.#hasContent && (first >= 0 || before.some(isContent))) {
      this.#hasContent = true;
      this.#deadlines.firstContent();
    }
    if (first < 0) {
      if (this.#hasContent) this.#deadlines.waiting();
      return true;
    }
    this.#deadlines.arrived();
    this.#pending = events.slice(first);
    this.#isOpen = true;
    this.#resolve(this);
    return false;
  }

  end(): void {
    if (this.#isClosed) return;
    if (this.#sink !== undefined) this.#sink.end();
    else if (this.#isOpen) this.#ending = 'ended';
    else this.#reject(this.#deadlines.abortedWith ?? cutShort());
  }

  fail(error: unknown): void {
    if (this.#isClosed) return;
    if (this.#sink !== undefined) this.#sink.fail(error);
    else if (this.#isOpen) this.#ending = { error };
    else this.#reject(error);
  }
}

/** The provider ended the answer before everything that had begun was finished. */
export function cutShort(): UpstreamFailure {
  return new UpstreamFailure('The provider ended the answer before it was complete', {
    kind: 'upstream_error',
    error: 'truncated',
  });
}
