import { SlotMap } from '../base/memory/slot-map.js';
import { type Balance, type Reserve, sumReserves, withoutReserve, withReserve } from './balance/balance.js';
import { type Payer, subjectsOf } from './payer.js';

interface Held {
  readonly subjects: readonly string[];
  /** Unix milliseconds. */
  readonly expiresAt: number;
  reserve: Reserve;
}

/** All that is held of one subject. */
interface HeldSum {
  count: number;
  reserve: Reserve;
}

/** The reservations of requests in flight, in the memory of the one process that makes them. */
export class HeldReservations {
  readonly #byId = new SlotMap<string, Held>();
  readonly #bySubject = new SlotMap<string, HeldSum>();

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** undefined when it has ended. */
  reserveOf(id: string): Reserve | undefined {
    return this.#byId.get(id)?.reserve;
  }

  /** Throws for an id that is held already. */
  hold(id: string, payer: Payer, reserve: Reserve, expiresAt: number): void {
    if (this.#byId.has(id)) throw new Error(`${id} has reserved already`);
    const subjects = subjectsOf(payer);
    this.#byId.add(id, { subjects, reserve, expiresAt });
    for (const subject of subjects) {
      const sum = this.#bySubject.get(subject);
      if (sum === undefined) this.#bySubject.add(subject, { count: 1, reserve });
      else {
        sum.count += 1;
        sum.reserve = sumReserves(sum.reserve, reserve);
      }
    }
  }

  /** Adds to a reservation; does nothing for one that has ended. */
  extend(id: string, reserve: Reserve): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    held.reserve = sumReserves(held.reserve, reserve);
    for (const subject of held.subjects) {
      const sum = this.#bySubject.get(subject);
      if (sum !== undefined) sum.reserve = sumReserves(sum.reserve, reserve);
    }
  }

  /** Does nothing for one that has ended. */
  end(id: string): void {
    const held = this.#byId.remove(id);
    if (held === undefined) return;
    for (const subject of held.subjects) {
      const sum = this.#bySubject.get(subject);
      if (sum === undefined) continue;
      sum.count -= 1;
      if (sum.count === 0) this.#bySubject.remove(subject);
      else sum.reserve = withoutReserve(sum.reserve, held.reserve);
    }
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
    return sum === undefined ? balance : withReserve(balance, sum.reserve);
  }
}
