import { LruMap } from '../../base/lru-map.js';
import { applyDelta, type Balance } from '../../ledger/balance.js';
import type { LedgerState, LedgerTransaction, Reservation } from './ledger-transaction.js';

/** Balances that decisions read: of accounts, and of whatever has a limit. */
const MAX_CACHED_BALANCES = 10_000;

/** More than there are requests in flight at once. */
const MAX_CACHED_RESERVATIONS = 10_000;

/**
 * The balances as this process last read or changed them, and the reservations that it made. Other processes may have
 * changed them since, so the preconditions of decisions made on them must be checked in the database.
 */
export class BalanceCache implements LedgerState {
  readonly #leaseId: string;
  readonly #balances = new LruMap<string, Balance>(MAX_CACHED_BALANCES);
  readonly #reservations = new LruMap<string, Reservation>(MAX_CACHED_RESERVATIONS);

  /** Caches only reservations under this lease: any process may end the others. */
  constructor(leaseId: string) {
    this.#leaseId = leaseId;
  }

  balance(subject: string): Balance | undefined {
    return this.#balances.get(subject);
  }

  reservation(id: string): Reservation | undefined {
    return this.#reservations.get(id);
  }

  setBalances(balances: Iterable<Balance>): void {
    for (const balance of balances) this.#balances.set(balance.subject, balance);
  }

  /** Applies what a committed group has changed. */
  applyCommitted({ deltas, changedReservations }: LedgerTransaction): void {
    for (const [subject, delta] of deltas) {
      const balance = this.#balances.get(subject);
      if (balance !== undefined) this.#balances.set(subject, applyDelta(balance, delta));
    }
    for (const [id, reservation] of changedReservations) {
      if (reservation?.holder === this.#leaseId) this.#reservations.set(id, reservation);
      else this.#reservations.delete(id);
    }
  }
}
