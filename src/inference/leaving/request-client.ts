import type { Signal } from '../../base/signal.js';
import type { Departures, Owner } from './departures.js';

/** Where a request goes on whose client leaves. */
export interface Leaving {
  readonly departures: Pick<Departures, 'enter'>;
  readonly owner: Owner;
}

/** The attempt that is made for a client. */
export interface AttemptOfClient {
  /** Whether it may go on without its client now. */
  readonly mayOutliveClient: boolean;
  /** Ends it if its client has left, and it does not go on without. */
  interrupt(): void;
}

/** The client of a request: whether it has left, and whether the attempt of that moment goes on without it. */
export class RequestClient {
  readonly #signal: Signal;
  readonly #attempt: AttemptOfClient;
  readonly #leaving: Leaving | undefined;
  #hasLeft = false;
  #hasEnded = false;
  /** Gives back the place of an attempt that goes on. */
  #release: (() => void) | undefined;
  /** Called once, when the client leaves and the attempt goes on without it. */
  onLeft: (() => void) | undefined;

  /** Without `leaving` no attempt goes on. Call `end` when the request has ended. */
  constructor(signal: Signal, attempt: AttemptOfClient, leaving: Leaving | undefined) {
    this.#signal = signal;
    this.#attempt = attempt;
    this.#leaving = leaving;
    signal.addEventListener('abort', this.#onAbort);
  }

  get hasLeft(): boolean {
    return this.#hasLeft || this.#signal.aborted;
  }

  /** Whether the attempt goes on without its client. */
  get isFinishing(): boolean {
    return this.#release !== undefined;
  }

  /** Call it when the client leaves. Returns whether the attempt goes on without it. */
  leave(): boolean {
    if (this.#hasLeft || this.#hasEnded) return this.isFinishing;
    this.#hasLeft = true;
    const { departures, owner } = this.#leaving ?? {};
    if (departures !== undefined && owner !== undefined && this.#attempt.mayOutliveClient)
      this.#release = departures.enter(owner, this.cut);
    if (this.isFinishing) this.onLeft?.();
    else this.#attempt.interrupt();
    return this.isFinishing;
  }

  /** Ends the attempt if it goes on without its client. */
  readonly cut = (): void => {
    if (!this.isFinishing) return;
    this.#giveBack();
    this.#attempt.interrupt();
  };

  end(): void {
    this.#hasEnded = true;
    // Whatever refers to this for a while longer must not keep the whole request: that tripled what collections found alive.
    this.onLeft = undefined;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#giveBack();
  }

  #giveBack(): void {
    this.#release?.();
    this.#release = undefined;
  }

  readonly #onAbort = (): void => {
    this.leave();
  };
}
