import type { Dispatcher } from 'undici';
import { PushStream, type Sink } from '../../base/push-stream.js';

/** The connection is paused while this many bytes are buffered. */
const READ_AHEAD_BYTES = 16 * 1024;

/** The reason for destroying a body whose rest is not needed. */
const UNWANTED = new Error('the rest of the answer is not wanted');

type Control = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/**
 * The body of a response as it arrives: what one read of the connection brings is pushed at once. While nothing is
 * taken the connection is paused. It is reused if the body is read to its end. Fails with `UpstreamFailure`, or with
 * the reason of an abort.
 */
export class HttpBody extends PushStream<Buffer> {
  readonly #control: Control;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #sink: Sink<Buffer> | undefined;
  #isPaused = false;
  #isConnectionPaused = false;
  #isFlushing = false;
  #onFirst: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;

  constructor(control: Control) {
    super();
    this.#control = control;
  }

  /** Pushes buffered and future chunks to the sink, which replaces an earlier one. */
  pipeTo(sink: Sink<Buffer>): void {
    this.#sink = sink;
    this.#isPaused = false;
    this.#flush();
  }

  resume(): void {
    this.#isPaused = false;
    this.#flush();
  }

  async close(): Promise<void> {
    this.#sink = undefined;
    if (this.#state === 'open') this.destroy();
  }

  /** The first chunk, before it is taken; undefined if the body ends or breaks off without one. */
  async peek(): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0 && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#onFirst = resolve;
      });
    }
    return this.#chunks[0];
  }

  /** Drops the rest and closes the connection. */
  destroy(reason: Error = UNWANTED): void {
    this.#control.abort(reason);
  }

  /** Calls the listener once nothing more can arrive. There is at most one listener. */
  whenClosed(listener: () => void): void {
    if (this.#state === 'open') this.#onClosed = listener;
    else listener();
  }

  /** Called by the connection when a chunk has arrived. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#sink === undefined || this.#isPaused) {
      this.#onFirst?.();
      if (this.#waitingBytes >= READ_AHEAD_BYTES) this.#setPaused(true);
      return;
    }
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // One read of the connection brings many chunks, with a call of this function for each.
    process.nextTick(this.#flush);
  }

  /** Called by the connection when the body is complete. */
  end(): void {
    this.#state = 'ended';
    this.#onFirst?.();
    this.#flush();
    this.#onClosed?.();
  }

  /** Called by the connection when the body broke off. */
  fail(error: unknown): void {
    this.#state = 'failed';
    this.#error = error;
    this.#onFirst?.();
    this.#flush();
    this.#onClosed?.();
  }

  readonly #flush = (): void => {
    this.#isFlushing = false;
    const sink = this.#sink;
    if (sink === undefined) return;
    if (this.#chunks.length > 0 && !this.#isPaused) {
      const chunks = this.#chunks;
      this.#chunks = [];
      this.#waitingBytes = 0;
      this.#isPaused = !sink.take(chunks);
      // The sink may have been replaced, or the body closed, while chunks were taken.
      if (this.#sink !== sink) return;
    }
    if (this.#state === 'failed') sink.fail(this.#error);
    else if (this.#state === 'open') this.#setPaused(this.#isPaused);
    else if (this.#chunks.length === 0) sink.end();
  };

  #setPaused(isPaused: boolean): void {
    if (isPaused === this.#isConnectionPaused) return;
    this.#isConnectionPaused = isPaused;
    if (isPaused) this.#control.pause();
    else this.#control.resume();
  }
}
