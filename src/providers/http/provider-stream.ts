import { setImmediate as nextEventLoopIteration } from 'node:timers/promises';
import { PushStream, type Sink } from '../../base/push-stream.js';
import { runSlice } from '../../base/time-slices.js';
import type { UpstreamEvent } from '../../inference/ports/adapter.js';
import type { HttpResponse } from './http.js';
import type { HttpBody } from './http-body.js';
import { isJson } from './json-response.js';
import { discard, lengthOf } from './read-body.js';

/** Decoding that takes long. It adds its events before it yields. */
export type DecodingWork = Generator<void, void>;

/**
 * Turns the bytes of one answer into events. Throws `UpstreamFailure`; by then the events before it have been added.
 */
export interface EventDecoder {
  /** Adds the events that these bytes complete. Returns the rest of the work if it takes long. */
  take(bytes: Buffer, events: UpstreamEvent[]): DecodingWork | undefined;
  /** Adds the events that the end of the body completes, as `take` does. */
  end(events: UpstreamEvent[]): DecodingWork | undefined;
  /** Whether the provider has said that nothing more comes. */
  readonly isDone: boolean;
  /** Whether it has said that it failed, so that nothing but a last word may come. */
  readonly isFailing?: boolean;
}

/** Bytes that are decoded at once: no more than 2,000 of the smallest events, each of which becomes a chunk. */
const AT_ONCE_BYTES = 16 * 1024;

/** How long a provider that has said that it failed has for a last word, before the stream is ended in its place. */
const LAST_WORD_MS = 1_000;

/** Events that are passed on at once. */
const AT_ONCE_EVENTS = 1_000;

/** Where a stream comes from. */
export interface StreamSource {
  /** Sends the request. Resolves to a successful response whose body has not been read. */
  open(): Promise<HttpResponse>;
  /** Whether the answer was asked for in one piece. */
  readonly isWhole: boolean;
  readonly decoder: EventDecoder;
  /** The events of an answer that comes in one piece although a stream was requested. */
  readWhole(response: HttpResponse): Promise<readonly UpstreamEvent[]>;
  /** Called for all bytes that are read, whether or not they complete an event. */
  readonly onBytes: (() => void) | undefined;
}

/**
 * A provider's streamed answer. What one read of the network brings is decoded and pushed in the same turn, or in
 * slices if it is much. It ends when the provider says so, or with the body.
 */
export class ProviderStream extends PushStream<UpstreamEvent> implements Sink<Buffer> {
  readonly #source: StreamSource;
  readonly #decoder: EventDecoder;
  #sink: Sink<UpstreamEvent> | undefined;
  #body: HttpBody | undefined;
  /** Whether bytes are being decoded in slices. Meanwhile the end of the body waits in `#next`. */
  #isDecoding = false;
  #next: (() => void) | undefined;
  #onResume: (() => void) | undefined;
  #lastWord: NodeJS.Timeout | undefined;

  constructor(source: StreamSource) {
    super();
    this.#source = source;
    this.#decoder = source.decoder;
  }

  pipeTo(sink: Sink<UpstreamEvent>): void {
    this.#sink = sink;
    this.#read().catch((thrown: unknown) => this.fail(thrown));
  }

  async #read(): Promise<void> {
    const response = await this.#source.open();
    this.#body = response.body;
    if (this.#sink === undefined) response.body.destroy();
    else if (this.#source.isWhole || (await isJson(response))) {
      const whole = await this.#source.readWhole(response);
      const events: UpstreamEvent[] = [];
      this.#next = () => this.#finish()?.end();
      this.#decode(() => batchesOf(whole, events), events);
    } else response.body.pipeTo(this);
  }

  resume(): void {
    if (this.#isDecoding) this.#onResume?.();
    else if (this.#sink !== undefined) this.#body?.resume();
  }

  async close(): Promise<void> {
    if (this.#finish() === undefined) return;
    this.#body?.destroy();
    this.#onResume?.();
  }

  take(chunks: readonly Buffer[]): boolean {
    if (this.#sink === undefined) return true;
    this.#source.onBytes?.();
    const events: UpstreamEvent[] = [];
    return this.#decode(() => this.#takeChunks(chunks, events), events);
  }

  end(): void {
    if (this.#isDecoding) {
      this.#next = () => this.end();
      return;
    }
    const events: UpstreamEvent[] = [];
    this.#next = () => this.#finish()?.end();
    this.#decode(() => this.#decoder.end(events), events);
  }

  fail(thrown: unknown): void {
    if (this.#isDecoding) this.#next = () => this.fail(thrown);
    else this.#finish()?.fail(thrown);
  }

  /** Decodes what does not take long. Returns the rest. */
  #takeChunks(chunks: readonly Buffer[], events: UpstreamEvent[]): DecodingWork | undefined {
    if (lengthOf(chunks) > AT_ONCE_BYTES) return this.#takeInPieces(chunks, events);
    for (const [position, chunk] of chunks.entries()) {
      if (this.#decoder.isDone) return undefined;
      const work = this.#decoder.take(chunk, events);
      if (work !== undefined) return this.#takeInPieces(chunks.slice(position + 1), events, work);
    }
    return undefined;
  }

  *#takeInPieces(chunks: readonly Buffer[], events: UpstreamEvent[], begun?: DecodingWork): DecodingWork {
    if (begun !== undefined) yield* begun;
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length && !this.#decoder.isDone; at += AT_ONCE_BYTES) {
        const work = this.#decoder.take(chunk.subarray(at, at + AT_ONCE_BYTES), events);
        if (work !== undefined) yield* work;
        yield;
      }
    }
  }

  /**
   * Decodes and pushes a slice at once, and further slices in turns of their own. Returns whether more may be taken at
   * once.
   */
  #decode(begin: () => DecodingWork | undefined, events: UpstreamEvent[]): boolean {
    let work: DecodingWork | undefined;
    try {
      work = begin();
      if (work !== undefined && this.#runSlice(work, events)) work = undefined;
    } catch (thrown) {
      this.#breakOff(thrown, events);
      return true;
    }
    const takesMore = this.#push(events);
    if (work === undefined) return this.#endWhereDone() || takesMore;
    this.#isDecoding = true;
    void this.#decodeRest(work, events, takesMore);
    return false;
  }

  async #decodeRest(work: DecodingWork, events: UpstreamEvent[], takesMore: boolean): Promise<void> {
    let isTaking = takesMore;
    try {
      for (let isDone = false; !isDone; isTaking = this.#push(events)) {
        await (isTaking ? nextEventLoopIteration() : this.#resumed());
        if (this.#sink === undefined) return;
        isDone = this.#runSlice(work, events);
      }
    } catch (thrown) {
      this.#isDecoding = false;
      this.#breakOff(thrown, events);
      return;
    }
    this.#isDecoding = false;
    if (!this.#endWhereDone() && isTaking) this.#body?.resume();
  }

  #runSlice(work: DecodingWork, events: readonly UpstreamEvent[]): boolean {
    return runSlice(work, () => events.length >= AT_ONCE_EVENTS);
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onResume = resolve;
    });
  }

  /** Passes the events on. Returns whether more are taken. */
  #push(events: UpstreamEvent[]): boolean {
    return events.length === 0 || this.#sink?.take(events.splice(0)) === true;
  }

  /**
   * Ends the stream if the provider has said that nothing more comes, or if the body has ended. Returns whether it did.
   */
  #endWhereDone(): boolean {
    if (this.#next !== undefined) {
      const next = this.#next;
      this.#next = undefined;
      next();
      return true;
    }
    if (!this.#decoder.isDone) {
      if (this.#decoder.isFailing) this.#lastWord ??= setTimeout(() => this.end(), LAST_WORD_MS);
      return false;
    }
    if (this.#body !== undefined) discard(this.#body);
    this.#finish()?.end();
    return true;
  }

  #breakOff(thrown: unknown, events: UpstreamEvent[]): void {
    this.#push(events);
    // Destroying the body makes it fail as well.
    const sink = this.#finish();
    this.#body?.destroy();
    sink?.fail(thrown);
  }

  /** The sink, unless it has been told of an end. */
  #finish(): Sink<UpstreamEvent> | undefined {
    const sink = this.#sink;
    this.#sink = undefined;
    clearTimeout(this.#lastWord);
    return sink;
  }
}

/** Adds some of the events at a time. */
function* batchesOf(all: readonly UpstreamEvent[], events: UpstreamEvent[]): DecodingWork {
  for (let at = 0; at < all.length; at += AT_ONCE_EVENTS) {
    events.push(...all.slice(at, at + AT_ONCE_EVENTS));
    yield;
  }
}
