import { shuttingDown } from '../base/problem.js';
import { BreakableStream, type PushStream } from '../base/push-stream.js';

/** Streams that last for as long as their clients take them: exports and results. They end with the gateway. */
export class LastingStreams {
  readonly #open = new Set<{ breakOff(error: unknown): void }>();
  #hasEnded = false;

  /** The stream, until `end`. Throws the Problem `shutting_down` after it. */
  add<T>(stream: PushStream<T>): PushStream<T> {
    if (this.#hasEnded) throw shuttingDown();
    const added = new BreakableStream(stream, () => this.#open.delete(added));
    this.#open.add(added);
    return added;
  }

  /** Ends what is open with the Problem `shutting_down`, whatever of it is still to come. */
  end(): void {
    this.#hasEnded = true;
    for (const stream of [...this.#open]) stream.breakOff(shuttingDown());
  }
}
