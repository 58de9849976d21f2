/** Queues of requests that wait for money which requests in flight hold. See `docs/money.md#waiting-for-reservations`. */
import { clientClosed, shuttingDown } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import type { HeldMoney } from './held-money.js';
import type { WaitingTurn } from './plan-and-reserve.js';

/** Requests that wait in a process. */
export const MAX_WAITING_OF_PROCESS = 1_000;

/** Requests of one account that wait in a process. */
const MAX_WAITING_OF_ACCOUNT = 100;

/** Memory that the bodies of waiting requests may take in a process. */
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;

/** Reservations of other processes end without a word. */
const ASK_AGAIN_MS = 100;

/** Of the first in their queues: each plans anew. The others have their turn next. */
const ASKED_AT_ONCE = 64;

/** Who waits in vain comes again after this many seconds at most. */
const MAX_RETRY_AFTER_S = 5;

/** So many of a queue are served within a second, roughly. */
const SERVED_A_SECOND = 20;

/** A request that may have to wait. */
export interface Waiting {
  readonly accountId: string;
  /** Aborted when the client leaves. */
  readonly signal: Signal;
  /** How long it may take in all; undefined = as long as any. */
  readonly maxMs: number | undefined;
  /** What its body takes in memory. */
  bytes(): number;
}

/** The turn of a request that never waits. */
export const AT_ONCE: WaitingTurn = {
  isOver: true,
  retryAfterSeconds: () => 1,
  heldIn: () => undefined,
  wait: () => Promise.resolve(),
};

/** First come, first served for each limit. */
export class ReservationQueues {
  readonly waitMs: number;
  /** By their names; the earliest arrival first. */
  readonly #queues = new Map<string, QueuedTurn[]>();
  readonly #held = new Map<string, HeldMoney>();
  readonly #ofAccounts = new Map<string, number>();
  #isStopped = false;
  #arrivals = 0;
  #waiting = 0;
  #bytes = 0;
  #asking: NodeJS.Timeout | undefined;

  /** `waitMs`: how long a request waits at most; 0 = not at all. */
  constructor(waitMs: number) {
    this.waitMs = waitMs;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The turn of a request that comes now. It must `leave` once it has reserved or was refused. */
  arrive(waiting: Waiting): QueuedTurn {
    this.#arrivals += 1;
    return new QueuedTurn(this, waiting, this.#arrivals);
  }

  /** The first of these queues in which somebody waits who came earlier. */
  behind(queues: () => readonly string[], arrival: number): string | undefined {
    if (this.#queues.size === 0) return undefined;
    return queues().find((name) => (this.#queues.get(name)?.[0]?.arrival ?? arrival) < arrival);
  }

  /** To be called when money that these queues wait for was given back. */
  ended(queues: () => Iterable<string>): void {
    if (this.#queues.size === 0) return;
    for (const name of queues()) this.#queues.get(name)?.[0]?.askAgain();
  }

  /** Whether the gateway stops. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Ends everybody's wait with `shutting_down`. */
  stop(): void {
    this.#isStopped = true;
    for (const queue of [...this.#queues.values()]) for (const turn of [...queue]) turn.askAgain();
  }

  heldIn(queue: string): HeldMoney | undefined {
    return this.#held.get(queue);
  }

  /** Tells what somebody in the queue was held back by. */
  hold(queue: string, held: HeldMoney): void {
    if (this.#queues.has(queue)) this.#held.set(queue, held);
  }

  lengthOf(queue: string): number {
    return this.#queues.get(queue)?.length ?? 0;
  }

  /** false where too many wait. */
  admit({ accountId }: Waiting, bytes: number): boolean {
    const ofAccount = this.#ofAccounts.get(accountId) ?? 0;
    const isFull =
      this.#waiting >= MAX_WAITING_OF_PROCESS ||
      ofAccount >= MAX_WAITING_OF_ACCOUNT ||
      this.#bytes + bytes > MAX_WAITING_BYTES;
    if (isFull) return false;
    this.#waiting += 1;
    this.#bytes += bytes;
    this.#ofAccounts.set(accountId, ofAccount + 1);
    return true;
  }

  release({ accountId }: Waiting, bytes: number): void {
    this.#waiting -= 1;
    this.#bytes -= bytes;
    const ofAccount = (this.#ofAccounts.get(accountId) ?? 1) - 1;
    if (ofAccount === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, ofAccount);
  }

  join(name: string, turn: QueuedTurn): void {
    const queue = this.#queues.get(name) ?? [];
    const after = queue.findIndex(({ arrival }) => arrival > turn.arrival);
    queue.splice(after === -1 ? queue.length : after, 0, turn);
    this.#queues.set(name, queue);
    this.#asking ??= setInterval(() => this.#askSome(), ASK_AGAIN_MS).unref();
  }

  /** The next one may find money left. */
  quit(name: string, turn: QueuedTurn): void {
    const queue = this.#queues.get(name);
    const index = queue?.indexOf(turn) ?? -1;
    if (queue === undefined || index === -1) return;
    queue.splice(index, 1);
    if (queue.length > 0) queue[0]?.askAgain();
    else {
      this.#queues.delete(name);
      this.#held.delete(name);
    }
    if (this.#queues.size > 0) return;
    clearInterval(this.#asking);
    this.#asking = undefined;
  }

  #askSome(): void {
    for (const [name, queue] of [...this.#queues].slice(0, ASKED_AT_ONCE)) {
      this.#queues.delete(name);
      this.#queues.set(name, queue);
      queue[0]?.askAgain();
    }
  }
}

/** One request's turn. It keeps its place while it asks again. */
export class QueuedTurn implements WaitingTurn {
  readonly arrival: number;
  readonly #queues: ReservationQueues;
  readonly #waiting: Waiting;
  /** Given while it waits. */
  #place: { queue: string; readonly bytes: number; readonly timer: NodeJS.Timeout } | undefined;
  #isOver: boolean;
  #wake: (() => void) | undefined;
  /** Whether it should have asked again while it was asking. */
  #isAsked = false;

  constructor(queues: ReservationQueues, waiting: Waiting, arrival: number) {
    this.#queues = queues;
    this.#waiting = waiting;
    this.arrival = arrival;
    this.#isOver = queues.waitMs === 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  retryAfterSeconds(queue: string): number {
    return Math.min(1 + Math.floor(this.#queues.lengthOf(queue) / SERVED_A_SECOND), MAX_RETRY_AFTER_S);
  }

  heldIn(queue: string): HeldMoney | undefined {
    return this.#queues.heldIn(queue);
  }

  /** The queue in which earlier ones wait; none for one whose wait is over where nobody knows yet what is held. */
  behind(queues: () => readonly string[]): string | undefined {
    const queue = this.#queues.behind(queues, this.arrival);
    const isUnknown = queue !== undefined && this.#isOver && this.heldIn(queue) === undefined;
    return isUnknown ? undefined : queue;
  }

  async wait(queue: string, held?: HeldMoney): Promise<void> {
    if (this.#queues.isStopped) throw shuttingDown();
    if (!this.#enter(queue)) return;
    if (held !== undefined) this.#queues.hold(queue, held);
    const { signal } = this.#waiting;
    const leave = () => this.askAgain();
    signal.addEventListener('abort', leave);
    try {
      if (!this.#isAsked && !signal.aborted) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#wake = undefined;
      this.#isAsked = false;
      signal.removeEventListener('abort', leave);
    }
    if (signal.aborted) throw clientClosed();
    if (this.#queues.isStopped) throw shuttingDown();
  }

  /** Wakes it, or lets its next wait end at once. */
  askAgain(): void {
    if (this.#wake === undefined) this.#isAsked = this.#place !== undefined;
    else this.#wake();
  }

  /** Gives up its place, whatever became of the request. */
  leave(): void {
    if (this.#place === undefined) return;
    const { queue, bytes, timer } = this.#place;
    this.#place = undefined;
    clearTimeout(timer);
    this.#queues.release(this.#waiting, bytes);
    this.#queues.quit(queue, this);
  }

  /** Whether it has a place there. Without one its wait is over. */
  #enter(queue: string): boolean {
    if (this.#place === undefined) {
      const bytes = this.#waiting.bytes();
      if (!this.#queues.admit(this.#waiting, bytes)) {
        this.#isOver = true;
        return false;
      }
      const timer = setTimeout(
        () => {
          this.#isOver = true;
          this.askAgain();
        },
        Math.min(this.#queues.waitMs, this.#waiting.maxMs ?? Number.POSITIVE_INFINITY),
      );
      this.#place = { queue, bytes, timer };
      this.#queues.join(queue, this);
      return true;
    }
    if (this.#place.queue !== queue) {
      const { queue: before } = this.#place;
      this.#place.queue = queue;
      this.#queues.join(queue, this);
      this.#queues.quit(before, this);
    }
    return !this.#isOver;
  }
}
