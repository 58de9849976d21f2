/**
 * The timeouts of a request, and everything else that aborts its attempts: the client leaves, the process stops, the
 * total timeout passes, or a timeout of the attempt. See `docs/routing.md#timeouts`.
 */
import { type Signal, SignalSource } from '../../base/signal.js';
import type { Timeouts } from '../../base/timeouts.js';
import type { RequestedTimeouts } from '../../formats/routing-members.js';
import { UpstreamFailure } from '../ports/failure.js';

/** For a call that is no request of a caller: whatever it waits for may take this long. */
export function sameTimeouts(milliseconds: number): Timeouts {
  return {
    firstByteMs: milliseconds,
    firstTokenMs: milliseconds,
    idleMs: milliseconds,
    totalMs: milliseconds,
  };
}

/** The operator's timeouts, each replaced by the request's where that is shorter. */
export function tightenTimeouts(operator: Timeouts, requested: RequestedTimeouts | undefined): Timeouts {
  if (requested === undefined) return operator;
  return {
    firstByteMs: Math.min(operator.firstByteMs, requested.first_byte ?? Infinity),
    firstTokenMs: Math.min(operator.firstTokenMs, requested.first_token ?? Infinity),
    idleMs: Math.min(operator.idleMs, requested.idle ?? Infinity),
    totalMs: Math.min(operator.totalMs, requested.total ?? Infinity),
  };
}

/**
 * The timeouts of an answer in one piece. Most providers send nothing before it is finished, so only the total timeout
 * can tell a long answer from a missing one.
 */
function totalAlone({ totalMs }: Timeouts): Timeouts {
  return { firstByteMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity, totalMs };
}

/** Aborts an attempt whose client left. Created once, since its stack trace is of no use. */
const CLIENT_GONE = new UpstreamFailure('The client closed the request', {
  kind: 'cancelled',
  error: 'cancelled',
  isPenalised: false,
});

/** Aborts an attempt because the process stops. */
const SHUTTING_DOWN = new UpstreamFailure('The gateway is shutting down', {
  kind: 'shut_down',
  error: 'shutting_down',
  isPenalised: false,
});

/** Aborts an attempt that has failed already, or whose stream is no longer read. */
const ABANDONED = new Error('abandoned');

/**
 * How long a stream may stay open after all its choices are finished, for usage that some providers send last. A stream
 * that sends nothing more is complete nevertheless.
 */
const TRAILER_MS = 5_000;

interface Deadline {
  readonly timeout: keyof Timeouts;
  readonly message: string;
  /** As `performance.now()`; `Infinity` while it does not apply. */
  at: number;
}

/**
 * The deadlines of a request, which makes one attempt at a time. All of them share a single timer, so that moving a
 * deadline does not reset it. `idle` applies only while an event is awaited, so that a slow client is not mistaken for
 * a slow provider.
 */
export class Deadlines {
  readonly #client: Signal;
  readonly #operator: Timeouts;
  readonly #timeouts: Timeouts;
  readonly #total: Deadline;
  readonly #firstByte: Deadline = {
    timeout: 'firstByteMs',
    message: 'No answer came within',
    at: Infinity,
  };
  readonly #firstToken: Deadline = {
    timeout: 'firstTokenMs',
    message: 'No content came within',
    at: Infinity,
  };
  readonly #idle: Deadline = { timeout: 'idleMs', message: 'Nothing came for', at: Infinity };
  #idleMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #attempt: SignalSource | undefined;
  #attempts = 0;
  #hasAnswer = false;
  #isFinished = false;
  #isStopped = false;
  readonly #isStreamed: boolean;

  /** Starts the total timeout. */
  constructor(
    client: Signal,
    operator: Timeouts,
    requested: RequestedTimeouts | undefined,
    isStreamed: boolean,
  ) {
    const timeouts = tightenTimeouts(operator, requested);
    this.#client = client;
    this.#operator = operator;
    this.#isStreamed = isStreamed;
    this.#timeouts = isStreamed ? timeouts : totalAlone(timeouts);
    const totalAt = performance.now() + this.#timeouts.totalMs;
    this.#total = { timeout: 'totalMs', message: 'The request took longer than', at: totalAt };
    client.addEventListener('abort', this.#interrupt);
  }

  /** Whether no further attempt may start: the request is interrupted, or the total timeout has passed. */
  get isOver(): boolean {
    return this.interruption !== undefined || performance.now() >= this.#total.at;
  }

  /** Why the request ends whatever its providers do: the client left, or the process stops; else undefined. */
  get interruption(): UpstreamFailure | undefined {
    if (this.#isStopped) return SHUTTING_DOWN;
    return this.#client.aborted ? CLIENT_GONE : undefined;
  }

  /** Call it when the process stops. No effect once the client has left. */
  stop(): void {
    if (this.#client.aborted) return;
    this.#isStopped = true;
    this.#interrupt();
  }

  /** Starts an attempt. Its signal is aborted with the `UpstreamFailure` that ended the attempt. */
  begin(): Signal {
    const attempt = new SignalSource();
    const now = performance.now();
    this.#attempt = attempt;
    this.#attempts += 1;
    this.#hasAnswer = false;
    this.#isFinished = false;
    this.#idleMs = this.#timeouts.idleMs;
    this.#firstByte.at = now + this.#timeouts.firstByteMs;
    this.#firstToken.at = now + this.#timeouts.firstTokenMs;
    this.#setTimer(now);
    this.#interrupt();
    return attempt;
  }

  /** Why the gateway aborted the attempt; undefined if it did not. */
  get abortedWith(): UpstreamFailure | undefined {
    const reason = this.#attempt?.reason;
    return reason instanceof UpstreamFailure ? reason : undefined;
  }

  /** Call it where the attempt asks for its stream in one piece: until there is content, only `total` applies. */
  inOnePiece(): void {
    this.#firstByte.at = Infinity;
    this.#firstToken.at = Infinity;
  }

  /** Call it when the provider has answered with a successful status. */
  firstByte(): void {
    this.#hasAnswer = true;
    this.#firstByte.at = Infinity;
  }

  /** Whether the provider has answered with a successful status. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Call it at the first content. From then on only `idle` and `total` apply. */
  firstContent(): void {
    this.#clearAttemptDeadlines();
    this.#hasAnswer = true;
  }

  /** Call it when all choices are finished. Limits `idle` to `TRAILER_MS`, whatever bytes arrive. */
  finished(): void {
    this.#isFinished = true;
    this.#idleMs = Math.min(TRAILER_MS, this.#timeouts.idleMs);
  }

  /** Starts `idle`: an event is awaited. */
  waiting(): void {
    const now = performance.now();
    this.#idle.at = now + this.#idleMs;
    this.#setTimer(now);
  }

  /** Call it for each piece of the answer's bytes. Restarts `idle` if it is running. */
  bytes(): void {
    if (this.#idle.at === Infinity || this.#isFinished) return;
    this.#idle.at = performance.now() + this.#idleMs;
  }

  /** Stops `idle`: an event has arrived. */
  arrived(): void {
    this.#idle.at = Infinity;
  }

  /** Ends the attempt and aborts whatever its adapter still holds open. Does not change `abortedWith`. */
  abandon(): void {
    this.#attempt?.abort(ABANDONED);
    this.#clearAttemptDeadlines();
  }

  /** Ends the request: removes the timer and the listener. */
  end(): void {
    clearTimeout(this.#timer);
    this.#client.removeEventListener('abort', this.#interrupt);
  }

  readonly #interrupt = () => {
    const { interruption } = this;
    if (interruption !== undefined) this.#attempt?.abort(interruption);
  };

  #clearAttemptDeadlines(): void {
    this.#firstByte.at = Infinity;
    this.#firstToken.at = Infinity;
    this.#idle.at = Infinity;
  }

  /** Makes the timer fire at the next deadline, or earlier; then it is set again. */
  #setTimer(now: number): void {
    const next = Math.min(this.#total.at, this.#firstByte.at, this.#firstToken.at, this.#idle.at);
    if (next >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = next;
    this.#timer = setTimeout(this.#onTimer, Math.max(0, next - now));
  }

  readonly #onTimer = () => {
    const now = performance.now();
    this.#timerAt = Infinity;
    const passed = this.#deadlines.find(({ at }) => at <= now);
    if (passed === undefined) this.#setTimer(now);
    else this.#abort(passed);
  };

  get #deadlines(): readonly Deadline[] {
    return [this.#total, this.#firstByte, this.#firstToken, this.#idle];
  }

  /** A shorter timeout is the request's own choice and does not count against the provider. */
  #abort({ timeout, message }: Deadline): void {
    const isOperators = this.#timeouts[timeout] === this.#operator[timeout];
    const isPenalised = isOperators && (timeout !== 'totalMs' || this.#hadTheTotal);
    const failure = new UpstreamFailure(`${message} ${this.#timeouts[timeout]} ms`, {
      kind: 'upstream_error',
      error: 'timeout',
      isPenalised,
    });
    this.#attempt?.abort(failure);
  }

  /**
   * Whether the attempt had the operator's full total timeout. For a stream that also depends on the client's speed.
   */
  get #hadTheTotal(): boolean {
    return !this.#isStreamed && this.#attempts === 1;
  }
}
