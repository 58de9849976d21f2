/** The body of an answer, as its bytes come. */
import type { Dispatcher } from 'undici';

/** Bytes that wait for a reader before the provider is held back. */
const READ_AHEAD_BYTES = 16 * 1024;

/** What an answer is given up with that nobody wants the rest of. */
const UNWANTED = new Error('the rest of the answer is not wanted');

/** Takes a body whole, as it comes. */
export interface Sink {
  take(chunk: Buffer): void;
  /** The body has ended well. */
  end(): void;
  /** It broke off. */
  fail(error: unknown): void;
}

type Control = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/**
 * Bytes for one reader, who pulls them with `next` or has them all poured into a sink. Until then, and while none are
 * pulled, the connection is held back. The connection lives on when the body is read to its end.
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

  /** The next piece, as soon as it is here; undefined at the end. Throws what broke the body off. */
  async next(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0 && this.#state === 'open') {
      // What has been held back comes before `resume` returns.
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#control.resume();
      });
    }
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) this.#waitingBytes -= chunk.length;
    else if (this.#state === 'failed') throw this.#error;
    return chunk;
  }

  /** Gives the sink what has come, and from now on what comes. Another sink takes its place. */
  pour(sink: Sink): void {
    this.#sink = sink;
    for (const chunk of this.#chunks.splice(0)) this.#sink.take(chunk);
    if (this.#state === 'open') this.#control.resume();
    else if (this.#state === 'ended') this.#sink.end();
    else this.#sink.fail(this.#error);
  }

  /** Gives up what has not come, for this reason; its connection is closed. */
  destroy(reason: Error = UNWANTED): void {
    this.#control.abort(reason);
  }

  /** Calls the listener as soon as nothing more can come. There is one listener at most. */
  whenClosed(listener: () => void): void {
    if (this.#state === 'open') this.#onClosed = listener;
    else listener();
  }

  /** For whoever has the connection: more has come. */
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

  /** For whoever has the connection: all has come. */
  end(): void {
    this.#state = 'ended';
    this.#sink?.end();
    this.#close();
  }

  /** For whoever has the connection: no more can come. */
  fail(error: unknown): void {
    this.#state = 'failed';
    this.#error = error;
    this.#sink?.fail(error);
    this.#close();
  }

  #close(): void {
    this.#wake?.();
    this.#onClosed?.();
  }
}
