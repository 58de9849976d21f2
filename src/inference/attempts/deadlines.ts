/** Keeps a request's time and ends its attempts: by the client, by the total deadline, or by a timeout of their own. */
import { type Signal, SignalSource } from '../../base/signal.js';
import type { RequestedTimeouts } from '../../formats/routing-members.js';
import { UpstreamFailure } from './failure.js';

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

/** What may take only so long, and until when; at `Infinity` for as long as it need not be watched. */
interface Deadline {
  readonly which: keyof Timeouts;
  readonly complaint: string;
  /** As `performance.now()` tells it. */
  at: number;
}

/**
 * One per request, for one attempt at a time. One timer watches over all deadlines, which move without touching it;
 * `idle` runs while a piece is awaited, so a slow client is never taken for a slow provider.
 */
export class Deadlines {
  readonly #client: Signal;
  readonly #operator: Timeouts;
  readonly #timeouts: Timeouts;
  readonly #total: Deadline;
  readonly #byte: Deadline = { which: 'firstByteMs', complaint: 'No answer came within', at: Infinity };
  readonly #token: Deadline = { which: 'firstTokenMs', complaint: 'No content came within', at: Infinity };
  readonly #piece: Deadline = { which: 'idleMs', complaint: 'Nothing came for', at: Infinity };
  #pieceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #attempt: SignalSource | undefined;
  #hasAnswer = false;

  /** The total time of the request begins here. */
  constructor(client: Signal, operator: Timeouts, requested: RequestedTimeouts | undefined) {
    this.#client = client;
    this.#operator = operator;
    this.#timeouts = tightenTimeouts(operator, requested);
    const totalAt = performance.now() + this.#timeouts.totalMs;
    this.#total = { which: 'totalMs', complaint: 'The request took longer than', at: totalAt };
    client.addEventListener('abort', this.#onClientGone);
  }

  /** Whether no further attempt may start, because the client is gone or the total deadline has passed. */
  get isOver(): boolean {
    return this.#client.aborted || performance.now() >= this.#total.at;
  }

  /** Whether the client went away. */
  get isClientGone(): boolean {
    return this.#client.aborted;
  }

  /** Starts an attempt; its signal is aborted with the `UpstreamFailure` that ended it. */
  begin(): Signal {
    const attempt = new SignalSource();
    const now = performance.now();
    this.#attempt = attempt;
    this.#hasAnswer = false;
    this.#pieceMs = this.#timeouts.idleMs;
    this.#byte.at = now + this.#timeouts.firstByteMs;
    this.#token.at = now + this.#timeouts.firstTokenMs;
    this.#setTimer(now);
    if (this.#client.aborted) this.#onClientGone();
    return attempt;
  }

  /** Why the attempt was ended from this side; undefined when it was not. */
  get abortedWith(): UpstreamFailure | undefined {
    const reason = this.#attempt?.reason;
    return reason instanceof UpstreamFailure ? reason : undefined;
  }

  /** The attempt's answer has begun with a successful status. */
  firstByte(): void {
    this.#hasAnswer = true;
    this.#byte.at = Infinity;
  }

  /** Whether the attempt's answer has begun. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** From the first content on, `idle` counts. */
  firstContent(): void {
    this.#forgetAttempt();
    this.#hasAnswer = true;
  }

  /** All choices are finished: what still comes has `TRAILER_MS`. */
  finished(): void {
    this.#pieceMs = Math.min(TRAILER_MS, this.#timeouts.idleMs);
  }

  /** A piece is awaited from here. */
  waiting(): void {
    const now = performance.now();
    this.#piece.at = now + this.#pieceMs;
    this.#setTimer(now);
  }

  /** A piece has come. */
  arrived(): void {
    this.#piece.at = Infinity;
  }

  /** Ends the attempt for good; what the adapter still holds open is aborted. Changes nothing of `abortedWith`. */
  abandon(): void {
    this.#attempt?.abort(ABANDONED);
    this.#forgetAttempt();
  }

  /** Ends the request; no timer and no listener is left. */
  end(): void {
    clearTimeout(this.#timer);
    this.#client.removeEventListener('abort', this.#onClientGone);
  }

  readonly #onClientGone = () => this.#attempt?.abort(CLIENT_GONE);

  #forgetAttempt(): void {
    this.#byte.at = Infinity;
    this.#token.at = Infinity;
    this.#piece.at = Infinity;
  }

  get #deadlines(): readonly Deadline[] {
    return [this.#total, this.#byte, this.#token, this.#piece];
  }

  /** Has the timer fire at the first deadline, or before: it is then set again. */
  #setTimer(now: number): void {
    const first = Math.min(this.#total.at, this.#byte.at, this.#token.at, this.#piece.at);
    if (first >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = first;
    this.#timer = setTimeout(this.#onTimer, Math.max(0, first - now));
  }

  readonly #onTimer = () => {
    const now = performance.now();
    this.#timerAt = Infinity;
    const passed = this.#deadlines.find(({ at }) => at <= now);
    if (passed === undefined) this.#setTimer(now);
    else this.#abort(passed);
  };

  /**
   * The total is shared by all attempts and by the client's own pace, and what a request tightens is its own haste:
   * neither is held against the provider.
   */
  #abort({ which, complaint }: Deadline): void {
    const isPenalised = which !== 'totalMs' && this.#timeouts[which] === this.#operator[which];
    const message = `${complaint} ${this.#timeouts[which]} ms`;
    const failure = new UpstreamFailure(message, { kind: 'upstream_error', error: 'timeout', isPenalised });
    this.#attempt?.abort(failure);
  }
}

/** How long a request waits for what, in milliseconds (interface section 6). */
export interface Timeouts {
  /**
   * For a provider's first byte. Most providers begin an answer in one piece only when it is finished: there this is
   * the time for all of it.
   */
  readonly firstByteMs: number;
  /** For its first content. */
  readonly firstTokenMs: number;
  /** Between two pieces of a stream. */
  readonly idleMs: number;
  /** For everything, all attempts together. */
  readonly totalMs: number;
}

/** What holds when the operator says nothing else. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  firstByteMs: 60_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 600_000,
};

/** The operator's timeouts, each replaced by the request's where that is tighter. */
export function tightenTimeouts(operator: Timeouts, requested: RequestedTimeouts | undefined): Timeouts {
  if (requested === undefined) return operator;
  return {
    firstByteMs: Math.min(operator.firstByteMs, requested.first_byte ?? Infinity),
    firstTokenMs: Math.min(operator.firstTokenMs, requested.first_token ?? Infinity),
    idleMs: Math.min(operator.idleMs, requested.idle ?? Infinity),
    totalMs: Math.min(operator.totalMs, requested.total ?? Infinity),
  };
}
