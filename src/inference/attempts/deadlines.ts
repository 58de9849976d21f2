/**
 * The timeouts of a request, and everything else that aborts its attempts: the client leaves, the process stops, the
 * total timeout passes, or a timeout of the attempt. See `docs/routing.md#timeouts`.
 */
import { type Signal, SignalSource } from '../../base/signal.js';
import type { Timeouts } from '../../base/timeouts.js';
import type { RequestedTimeouts } from '../../formats/routing-members.js';
import { type AttemptOfClient, type Leaving, RequestClient } from '../leaving/request-client.js';
import { UpstreamFailure } from '../ports/failure.js';
import { tightenTimeouts, totalAlone } from './request-timeouts.js';

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
export class Deadlines implements AttemptOfClient {
  readonly client: RequestClient;
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
  /** As `performance.now()`; undefined until then. */
  #sentAt: number | undefined;
  #answeredAt: number | undefined;
  #isFinished = false;
  #isStopped = false;
  #outlivesClient = false;
  /** Whether its answer is shown when it is complete. */
  #isOnePiece = false;
  readonly #isStreamed: boolean;

  /** Starts the total timeout. Without `leaving`, every attempt ends with its client. */
  constructor(
    client: Signal,
    operator: Timeouts,
    requested: RequestedTimeouts | undefined,
    isStreamed: boolean,
    leaving?: Leaving,
  ) {
    const timeouts = tightenTimeouts(operator, requested);
    this.#operator = operator;
    this.#isStreamed = isStreamed;
    this.#timeouts = isStreamed ? timeouts : totalAlone(timeouts);
    const totalAt = performance.now() + this.#timeouts.totalMs;
    this.#total = { timeout: 'totalMs', message: 'The request took longer than', at: totalAt };
    this.client = new RequestClient(client, this, leaving);
  }

  /** Whether no further attempt may start: the request is interrupted, or the total timeout has passed. */
  get isOver(): boolean {
    return this.#isStopped || this.client.hasLeft || performance.now() >= this.#total.at;
  }

  /** Why the request ends whatever its providers do: the client left, or the process stops; else undefined. */
  get interruption(): UpstreamFailure | undefined {
    if (this.#isStopped) return SHUTTING_DOWN;
    return this.client.hasLeft && !this.client.isFinishing ? CLIENT_GONE : undefined;
  }

  /** Call it when the process stops. What goes on without its client is cut. */
  stop(): void {
    this.client.cut();
    if (this.client.hasLeft) return;
    this.#isStopped = true;
    this.interrupt();
  }

  /**
   * Starts a call to a provider. Its signal is aborted with the `UpstreamFailure` that ended it. None is made for a client
   * that has left.
   */
  begin(outlivesClient = false): Signal {
    this.client.cut();
    const attempt = new SignalSource();
    const now = performance.now();
    this.#attempt = attempt;
    this.#attempts += 1;
    this.#sentAt = undefined;
    this.#answeredAt = undefined;
    this.#outlivesClient = outlivesClient;
    this.#isOnePiece = !this.#isStreamed;
    this.#isFinished = false;
    this.#idleMs = this.#timeouts.idleMs;
    this.#firstByte.at = now + this.#timeouts.firstByteMs;
    this.#firstToken.at = now + this.#timeouts.firstTokenMs;
    this.#setTimer(now);
    this.interrupt();
    return attempt;
  }

  /** Why the gateway aborted the attempt; undefined if it did not. */
  get abortedWith(): UpstreamFailure | undefined {
    const reason = this.#attempt?.reason;
    return reason instanceof UpstreamFailure ? reason : undefined;
  }

  /** Call it where the attempt asks for its stream in one piece: until there is content, only `total` applies. */
  inOnePiece(): void {
    this.#isOnePiece = true;
    this.#firstByte.at = Infinity;
    this.#firstToken.at = Infinity;
  }

  /** Call it when the request is written to a connection. */
  sent(): void {
    this.#sentAt ??= performance.now();
  }

  /** Whether the attempt goes on when its client leaves, if it has a place. */
  get outlivesClient(): boolean {
    return this.#outlivesClient;
  }

  get mayOutliveClient(): boolean {
    const isSent = this.#sentAt !== undefined || this.hasAnswer;
    return this.#outlivesClient && isSent && !this.#isStopped && this.#attempt?.aborted === false;
  }

  /** Call it when the provider has answered with a successful status. */
  firstByte(): void {
    this.#answeredAt ??= performance.now();
    this.#firstByte.at = Infinity;
  }

  /** Whether the attempt's answer comes in one piece, so that nothing of it is seen before its end. */
  get isOnePiece(): boolean {
    return this.#isOnePiece;
  }

  /** Since when the provider produces the answer, as `performance.now()`. Before an answer in one piece no status comes. */
  get producingSince(): number | undefined {
    return (this.#isOnePiece ? undefined : this.#answeredAt) ?? this.#sentAt ?? this.#answeredAt;
  }

  /** Whether the provider has answered with a successful status. */
  get hasAnswer(): boolean {
    return this.#answeredAt !== undefined;
  }

  /** Call it at the first content. From then on only `idle` and `total` apply. */
  firstContent(): void {
    this.#clearAttemptDeadlines();
    this.#answeredAt ??= performance.now();
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

  /** Ends the request: removes the timer, and the listener and the place of its client. */
  end(): void {
    clearTimeout(this.#timer);
    this.client.end();
  }

  interrupt(): void {
    const { interruption } = this;
    if (interruption !== undefined) this.#attempt?.abort(interruption);
  }

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
