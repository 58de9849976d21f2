/** Keeps a request's time and ends its attempts: by the client, by the total deadline, or by a timeout of their own. */

import type { RequestedTimeouts } from './dialect.js';
import { UpstreamFailure } from './failure.js';
import { type Timeouts, tightenTimeouts } from './timeouts.js';

/**
 * How long a stream may stay open after all its choices are finished, for the usage that some providers send last.
 * One that sends nothing more is complete all the same.
 */
const TRAILER_MS = 5_000;

/** What an attempt is aborted with when the client went away. Made once: its stack would tell nothing. */
export const CLIENT_GONE = new UpstreamFailure('The client closed the request', {
  kind: 'cancelled',
  error: 'cancelled',
  isPenalised: false,
});

/** What an attempt is aborted with that failed already, or whose stream is no longer read. */
const ABANDONED = new Error('abandoned');

/**
 * One per request, for one attempt at a time. Timers are made once per attempt and only refreshed per piece; `idle`
 * runs while a piece is awaited, so a slow client is never taken for a slow provider.
 */
export class Watch {
  readonly #client: AbortSignal;
  readonly #operator: Timeouts;
  readonly #timeouts: Timeouts;
  readonly #totalTimer: NodeJS.Timeout;
  #controller: AbortController | undefined;
  #byteTimer: NodeJS.Timeout | undefined;
  #pieceTimer: NodeJS.Timeout | undefined;
  #hasAnswer = false;
  #isWaiting = false;
  #isOver = false;

  /** The total time of the request begins here. */
  constructor(client: AbortSignal, operator: Timeouts, requested: RequestedTimeouts | undefined) {
    this.#client = client;
    this.#operator = operator;
    this.#timeouts = tightenTimeouts(operator, requested);
    this.#totalTimer = setTimeout(this.#onTotal, this.#timeouts.totalMs);
    client.addEventListener('abort', this.#onClientGone);
  }

  /** Whether no further attempt may start, because the client is gone or the total deadline has passed. */
  get isOver(): boolean {
    return this.#isOver || this.#client.aborted;
  }

  /** Whether the client went away. */
  get isClientGone(): boolean {
    return this.#client.aborted;
  }

  /** Starts an attempt; its signal is aborted with the `UpstreamFailure` that ended it. */
  begin(): AbortSignal {
    const controller = new AbortController();
    this.#controller = controller;
    this.#hasAnswer = false;
    this.#isWaiting = true;
    this.#byteTimer = setTimeout(this.#onByteTimeout, this.#timeouts.firstByteMs);
    this.#pieceTimer = setTimeout(this.#onTokenTimeout, this.#timeouts.firstTokenMs);
    if (this.#client.aborted) this.#onClientGone();
    return controller.signal;
  }

  /** Why the attempt was ended from this side; undefined when it was not. */
  get abortedWith(): UpstreamFailure | undefined {
    const signal = this.#controller?.signal;
    return signal?.aborted && signal.reason instanceof UpstreamFailure ? signal.reason : undefined;
  }

  /** The attempt's answer has begun with a successful status. */
  firstByte(): void {
    this.#hasAnswer = true;
    clearTimeout(this.#byteTimer);
  }

  /** Whether the attempt's answer has begun. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** From the first content on, `idle` counts. */
  firstContent(): void {
    this.#clearAttemptTimers();
    this.#hasAnswer = true;
    this.#isWaiting = false;
    this.#pieceTimer = setTimeout(this.#onIdle, this.#timeouts.idleMs);
  }

  /** All choices are finished: what still comes has `TRAILER_MS`. */
  finished(): void {
    clearTimeout(this.#pieceTimer);
    this.#pieceTimer = setTimeout(this.#onIdle, Math.min(TRAILER_MS, this.#timeouts.idleMs));
  }

  /** A piece is awaited from here. */
  waiting(): void {
    this.#isWaiting = true;
    this.#pieceTimer?.refresh();
  }

  /** A piece has come. */
  arrived(): void {
    this.#isWaiting = false;
  }

  /** Ends the attempt for good; what the adapter still holds open is aborted. Changes nothing of `abortedWith`. */
  abandon(): void {
    this.#controller?.abort(ABANDONED);
    this.#clearAttemptTimers();
  }

  /** Ends the request; no timer and no listener is left. */
  end(): void {
    this.#clearAttemptTimers();
    clearTimeout(this.#totalTimer);
    this.#client.removeEventListener('abort', this.#onClientGone);
  }

  readonly #onClientGone = () => this.#controller?.abort(CLIENT_GONE);

  readonly #onTotal = () => {
    this.#isOver = true;
    this.#abort('totalMs', 'The request took longer than');
  };

  readonly #onByteTimeout = () => this.#abort('firstByteMs', 'No answer came within');

  readonly #onTokenTimeout = () => this.#abort('firstTokenMs', 'No content came within');

  readonly #onIdle = () => {
    if (this.#isWaiting) this.#abort('idleMs', 'Nothing came for');
  };

  #clearAttemptTimers(): void {
    clearTimeout(this.#byteTimer);
    clearTimeout(this.#pieceTimer);
  }

  /**
   * The total is shared by all attempts and by the client's own pace, and what a request tightens is its own haste:
   * neither is held against the provider.
   */
  #abort(which: keyof Timeouts, what: string): void {
    const isPenalised = which !== 'totalMs' && this.#timeouts[which] === this.#operator[which];
    const message = `${what} ${this.#timeouts[which]} ms`;
    const failure = new UpstreamFailure(message, { kind: 'upstream_error', error: 'timeout', isPenalised });
    this.#controller?.abort(failure);
  }
}
