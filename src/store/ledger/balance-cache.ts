import { LruMap } from '../../base/lru-map.js';
import { applyDelta, type Balance } from '../../ledger/balance.js';
import type { LedgerState, LedgerTransaction, Reservation } from './ledger-transaction.js';

/** Subjects that decisions look at: accounts, and what has a limit. */
const MAX_CACHED_BALANCES = 10_000;

/** More requests than are under way at once. */
const MAX_CACHED_RESERVATIONS = 10_000;

/**
 * The balances as this process has last seen and moved them, and the reservations that it has made. Others may have
 * moved and ended them since: what is decided by them is to be held against the database.
 */
export class BalanceCache implements LedgerState {
  readonly #holder: string;
  readonly #balances = new LruMap<string, Balance>(MAX_CACHED_BALANCES);
  readonly #reservations = new LruMap<string, Reservation>(MAX_CACHED_RESERVATIONS);

  /** Others than the holder's own reservations may be ended by anybody, and are not remembered. */
  constructor(holder: string) {
    this.#holder = holder;
  }

  balance(subject: string): Balance | undefined {
    return this.#balances.get(subject);
  }

  reservation(id: string): Reservation | undefined {
    return this.#reservations.get(id);
  }

  /** Takes balances for what they were read to be. */
  learn(balances: Iterable<Balance>): void {
    for (const balance of balances) this.#balances.set(balance.subject, balance);
  }

  /** Moves what is remembered by what a group has committed. */
  follow({ deltas, changedReservations }: LedgerTransaction): void {
    for (const [subject, delta] of deltas) {
      const balance = this.#balances.get(subject);
      if (balance !== undefined) this.#balances.set(subject, applyDelta(balance, delta));
    }
    for (const [id, reservation] of changedReservations) {
      if (reservation?.holder === this.#holder) this.#reservations.set(id, reservation);
      else this.#reservations.delete(id);
    }
  }
}
