import { toProblem } from '../../base/problem.js';
import type { Sink } from '../../base/push-stream.js';
import type { Usage } from '../../formats/chat/types.js';
import type { Attempt } from '../../routing/types.js';
import { brokenBy, finalProblem } from '../attempts/problems.js';
import {
  amendResponse,
  failureIn,
  reportFailure,
  reportServed,
  type SuccessfulAttempt,
} from '../attempts/runner.js';
import { toldFailure } from '../attempts/told-failure.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import { UpstreamFailure } from '../ports/failure.js';
import type { StreamUsage } from '../ports/stream-usage.js';
import type { InferenceRun } from '../run/run.js';
import type { Ending } from '../settlement/ending.js';
import { cutShort, type OpenStream } from './open-stream.js';

/**
 * Passes one open stream on to the client, at the client's pace, up to the last pieces with the usage or the error.
 * However it ends, its run is settled once, and before the last pieces.
 */
export class Reply<Piece> implements Sink<UpstreamEvent> {
  readonly #run: InferenceRun;
  readonly #attempt: Attempt;
  readonly #answeredAt: number;
  readonly #events: OpenStream;
  readonly #streamUsage: StreamUsage;
  readonly #writer: StreamWriter<Piece>;
  readonly #maxCharacters: number;
  #sink: Sink<Piece>;
  /** Events that wait for the reservation to be extended, and what the provider did after them. */
  #rest: readonly UpstreamEvent[] = [];
  #isExtending = false;
  #next: (() => void) | undefined;
  /** Whether the client takes nothing at the moment. */
  #isFull = false;
  #isClosed = false;
  /** Whether the answer is read to its end without a client: it is counted, and dropped. */
  #isFinishing = false;
  /** Whether the settlement has started. */
  #isOver = false;
  #unfollow: () => void = () => undefined;
  #resolve: () => void = () => undefined;
  #reject: (thrown: unknown) => void = () => undefined;

  constructor(
    run: InferenceRun,
    { attempt, result: events, answeredAt }: SuccessfulAttempt<OpenStream>,
    writer: StreamWriter<Piece>,
    sink: Sink<Piece>,
  ) {
    this.#run = run;
    this.#attempt = attempt;
    this.#answeredAt = answeredAt;
    this.#events = events;
    this.#streamUsage = events.streamUsage;
    this.#writer = writer;
    this.#maxCharacters = writer.maxCharacters ?? Infinity;
    this.#sink = sink;
  }

  /** Resolves when the answer is complete or closed. Rejects with a Problem, after the chunk that reports it. */
  send(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#unfollow = this.#run.follow(this.#attempt, this.#streamUsage);
      try {
        const opening: Piece[] = [];
        for (const event of this.#events.before) this.#writer.write(event, opening);
        this.#take(opening);
      } catch (thrown) {
        this.#settleAfter(thrown);
        return;
      }
      this.#events.pipeTo(this);
    });
  }

  /** Call it when the client takes more. */
  resume(): void {
    this.#isFull = false;
    this.#proceed();
  }

  /**
   * The client has left. Reads the answer to its end where that is to be, else records what was sent; unless it has been
   * recorded, or is being so.
   */
  close(): void {
    this.#sink = NOWHERE;
    if (this.#isOver || this.#isFinishing) return;
    if (this.#run.context.deadlines.client.leave()) {
      this.#isFinishing = true;
      this.resume();
      return;
    }
    this.#isClosed = true;
    this.#events.close();
    this.#finish(() => this.#settle('cancelled').then(this.#resolve, this.#reject));
  }

  take(events: readonly UpstreamEvent[]): boolean {
    this.#run.context.deadlines.arrived();
    if (this.#isExtending) {
      this.#rest = [...this.#rest, ...events];
      return false;
    }
    return this.#forward(events) && this.#awaitMore();
  }

  end(): void {
    this.#finish(() => {
      if (this.#streamUsage.isEnded) this.#complete('answered');
      else this.#breakOff(cutShort());
    });
  }

  /** Once all choices are finished only usage can be missing, so failures after that are ignored. */
  fail(thrown: unknown): void {
    this.#finish(() => {
      const failure = failureIn(this.#run.context, thrown);
      if (failure.kind === 'cancelled') this.#cancel(failure);
      else if (this.#streamUsage.isComplete) this.#complete('answered');
      else this.#breakOff(failure);
    });
  }

  /** Sends the events that the reservation covers. False if it must be extended first, or if the client takes no more. */
  #forward(events: readonly UpstreamEvent[]): boolean {
    if (this.#isOver) return false;
    try {
      return this.#send(events);
    } catch (thrown) {
      if (thrown instanceof UpstreamFailure) this.fail(thrown);
      else this.#settleAfter(thrown);
      return false;
    }
  }

  #send(events: readonly UpstreamEvent[]): boolean {
    const pieces: Piece[] = [];
    let next = 0;
    while (next < events.length && this.#isCovered) {
      const event = events[next++] as UpstreamEvent;
      this.#streamUsage.add(event);
      if (this.#streamUsage.characters > this.#maxCharacters) throw tooLong();
      if (mayFinish(event) && this.#streamUsage.isComplete) this.#run.context.deadlines.finished();
      if (!this.#isFinishing) this.#writer.write(event, pieces);
    }
    if (pieces.length > 0) this.#isFull = !this.#sink.take(pieces);
    if (this.#isCovered) return !this.#isFull;
    this.#rest = events.slice(next);
    this.#extend().catch((thrown: unknown) => this.#settleAfter(thrown));
    return false;
  }

  /** Whether the reservation covers the answer so far. Once all choices are finished nothing is added to it. */
  get #isCovered(): boolean {
    const usage = this.#streamUsage;
    return this.#run.reservation.covers(this.#attempt, usage) || usage.isComplete;
  }

  async #extend(): Promise<void> {
    this.#isExtending = true;
    let isReserved = true;
    while (isReserved && !this.#isClosed && !this.#isCovered)
      isReserved = await this.#run.reservation.extend(this.#attempt);
    this.#isExtending = false;
    if (isReserved || this.#isClosed) this.#proceed();
    else this.#cutOff();
  }

  /** Continues after the client was full or the reservation was used up. */
  #proceed(): void {
    if (this.#isExtending || this.#isOver) return;
    const rest = this.#isClosed ? [] : this.#rest;
    this.#rest = [];
    const takesMore = !this.#isClosed && this.#forward(rest);
    if (this.#isExtending) return;
    if (this.#next !== undefined) this.#next();
    else if (takesMore && this.#awaitMore()) this.#events.resume();
  }

  /** Starts the idle timeout. */
  #awaitMore(): true {
    this.#run.context.deadlines.waiting();
    return true;
  }

  /** Ends the answer as soon as what has arrived is sent. */
  #finish(next: () => void): void {
    this.#run.context.deadlines.arrived();
    if (this.#isExtending) this.#next = next;
    else if (!this.#isOver) next();
  }

  /** Ends the answer as one that reached its maximum, and releases the connection to the provider at once. */
  #cutOff(): void {
    this.#take(this.#writer.cutOff());
    this.#events.close();
    this.#complete('cut');
  }

  #complete(ending: 'answered' | 'cut'): void {
    this.#events.close();
    const served = { attempt: this.#attempt, answeredAt: this.#answeredAt };
    reportServed(this.#run.context, served, this.#streamUsage);
    const tell = (usage: Usage | undefined) => {
      if (usage !== undefined && !this.#isFinishing) {
        this.#sink.ending?.();
        this.#take(this.#writer.end(usage));
      }
      this.#resolve();
    };
    this.#settle(ending)
      .then(async (usage) => {
        if (usage !== undefined && ending === 'answered')
          await this.#run.keep(this.#attempt, this.#streamUsage.collected, usage);
        tell(usage);
      })
      .catch(this.#tell);
  }

  #breakOff(failure: UpstreamFailure): void {
    const { context } = this.#run;
    this.#events.close();
    reportFailure(context, this.#attempt, failure);
    const told = toldFailure(failure, this.#attempt);
    amendResponse(context, told);
    const problem = brokenBy(told, context);
    const tell = (usage: Usage | null) => {
      this.#take(this.#writer.fail(problem, told, usage));
      this.#reject(problem);
    };
    this.#settle(failure.kind === 'shut_down' ? 'shut_down' : 'broken')
      .then(
        (usage) => tell(usage ?? null),
        () => tell(null),
      )
      .catch(this.#tell);
  }

  /** Ends the answer with an error inside the gateway, such as one of its settlement; without a word where that can't be written. */
  readonly #tell = (thrown: unknown): void => {
    try {
      this.#take(this.#writer.fail(toProblem(thrown), null, null));
    } finally {
      this.#reject(thrown);
    }
  };

  #take(pieces: readonly Piece[]): void {
    if (pieces.length > 0) this.#sink.take(pieces);
  }

  #cancel(failure: UpstreamFailure): void {
    this.#events.close();
    const problem = finalProblem(failure, this.#run.context);
    const end = () => (this.#isClosed || this.#isFinishing ? this.#resolve() : this.#reject(problem));
    this.#settle('cancelled').then(end, this.#reject);
  }

  /** Records what was sent as broken off: the failure is ours, not the client's. */
  #settleAfter(thrown: unknown): void {
    const { context } = this.#run;
    this.#events.close();
    amendResponse(context, failureIn(context, thrown));
    const tell = () => this.#tell(thrown);
    this.#settle('broken').then(tell, tell);
  }

  /** Settles the run and returns the usage; undefined if it has been settled already. */
  async #settle(ending: Ending) {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    this.#run.omit(this.#writer.omitted ?? []);
    this.#unfollow();
    return this.#run.settle(this.#attempt, this.#streamUsage, ending);
  }
}

function tooLong(): UpstreamFailure {
  return new UpstreamFailure('The provider sent more than an answer may have', {
    kind: 'upstream_error',
    error: 'malformed',
  });
}

function mayFinish(event: UpstreamEvent): boolean {
  return event.type === 'finish' || event.type === 'native';
}

/** The sink of a client that left. */
export const NOWHERE: Sink<unknown> = { take: () => true, end: () => undefined, fail: () => undefined };
