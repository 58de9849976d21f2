/** Bodies of responses, with back-pressure. */
import type { Dispatcher } from 'undici';

/** Buffered bytes at which the connection is paused. */
const READ_AHEAD_BYTES = 16 * 1024;

/** The reason for destroying a body whose rest is not wanted. */
const UNWANTED = new Error('the rest of the answer is not wanted');

/** Consumes a body as it comes. */
export interface Sink {
  take(chunk: Buffer): void;
  end(): void;
  fail(error: unknown): void;
}

type Control = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/**
 * A body for one reader, which pulls chunks with `next` or pipes them into a sink. While nothing is read the connection
 * is paused. It is reused when the body is read to its end.
 */
export class HttpBody {
  readonly #control: Control;
  readonly #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #sink: Sink | undefined;
  #wake: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;

  constructor(control: Control) {
    this.#control = control;
  }

  /** The next chunk; undefined at the end. Throws the error that broke the body off. */
  async next(): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0) await this.#arrival();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) this.#waitingBytes -= chunk.length;
    else if (this.#state === 'failed') throw this.#error;
    return chunk;
  }

  /** The chunk that `next` will return; undefined at the end, or where the body broke off. */
  async peek(): Promise<Buffer | undefined> {
    await this.#arrival();
    return this.#chunks[0];
  }

  /** Passes buffered and future chunks to the sink, which replaces an earlier one. */
  pipeTo(sink: Sink): void {
    this.#sink = sink;
    for (const chunk of this.#chunks.splice(0)) this.#sink.take(chunk);
    if (this.#state === 'open') this.#control.resume();
    else if (this.#state === 'ended') this.#sink.end();
    else this.#sink.fail(this.#error);
  }

  /** Gives up the rest and closes the connection. */
  destroy(reason: Error = UNWANTED): void {
    this.#control.abort(reason);
  }

  /** Calls the listener once nothing more can come. There is at most one listener. */
  whenClosed(listener: () => void): void {
    if (this.#state === 'open') this.#onClosed = listener;
    else listener();
  }

  /** For the connection: a chunk has come. */
  push(chunk: Buffer): void {
    if (this.#sink !== undefined) {
      this.#sink.take(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= READ_AHEAD_BYTES) this.#control.pause();
    this.#wake?.();
  }

  /** For the connection: the body is complete. */
  end(): void {
    this.#state = 'ended';
    this.#sink?.end();
    this.#close();
  }

  /** For the connection: the body broke off. */
  fail(error: unknown): void {
    this.#state = 'failed';
    this.#error = error;
    this.#sink?.fail(error);
    this.#close();
  }

  /** Resolves once there is a chunk, or can't be one any more. */
  async #arrival(): Promise<void> {
    while (this.#chunks.length === 0 && this.#state === 'open') {
      // Chunks that were paused are pushed before `resume` returns.
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#control.resume();
      });
    }
  }

  #close(): void {
    this.#wake?.();
    this.#onClosed?.();
  }
}
