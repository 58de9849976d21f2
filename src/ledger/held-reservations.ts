import {
  applyDelta,
  type Balance,
  type BalanceDelta,
  type Reserve,
  release,
  reservation,
  sumDeltas,
} from './balance.js';
import { type Payer, subjectsOf } from './payer.js';

interface Held {
  readonly names: readonly string[];
  readonly reserve: BalanceDelta;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** All that is held of one subject. */
interface HeldSum {
  readonly count: number;
  readonly reserve: BalanceDelta;
}

/** The reservations of requests in flight, in the memory of the one process that makes them. */
export class HeldReservations {
  readonly #byId = new Map<string, Held>();
  readonly #bySubject = new Map<string, HeldSum>();

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Throws for an id that is held already. */
  hold(id: string, payer: Payer, reserve: Reserve, expiresAt: number): void {
    if (this.#byId.has(id)) throw new Error(`${id} has reserved already`);
    const held = { names: subjectsOf(payer), reserve: reservation(reserve), expiresAt };
    this.#byId.set(id, held);
    this.#count(held.names, held.reserve, 1);
  }

  /** Adds to a reservation; does nothing for one that has ended. */
  extend(id: string, reserve: Reserve): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    const added = reservation(reserve);
    this.#byId.set(id, { ...held, reserve: sumDeltas(held.reserve, added) });
    this.#count(held.names, added, 0);
  }

  /** Does nothing for one that has ended. */
  end(id: string): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    this.#byId.delete(id);
    this.#count(held.names, release(held.reserve.reserved), -1);
  }

  /** Ends those that have expired at `now` (Unix milliseconds), and returns their number. */
  endExpired(now: number): number {
    const expired = [...this.#byId].filter(([, { expiresAt }]) => expiresAt <= now);
    for (const [id] of expired) this.end(id);
    return expired.length;
  }

  /** The balance with what is held of its subject. */
  addedTo(balance: Balance): Balance {
    const sum = this.#bySubject.get(balance.subject);
    return sum === undefined ? balance : applyDelta(balance, sum.reserve);
  }

  #count(names: readonly string[], by: BalanceDelta, reservations: -1 | 0 | 1): void {
    for (const name of names) {
      const known = this.#bySubject.get(name);
      const count = (known?.count ?? 0) + reservations;
      const reserve = known === undefined ? by : sumDeltas(known.reserve, by);
      if (count === 0) this.#bySubject.delete(name);
      else this.#bySubject.set(name, { count, reserve });
    }
  }
}
