import type { CompiledQuery } from 'kysely';
import { BoundedCache, type CacheBounds } from '../../base/memory/bounded-cache.js';
import { LruMap } from '../../base/memory/lru-map.js';
import { applyDelta, type Balance } from '../../ledger/balance/balance.js';
import type { Database } from '../database/database.js';
import type { LedgerState, LedgerTransaction, ReservationRow } from './ledger-transaction.js';
import { createPreconditionQueries } from './preconditions.js';

/** What groups of operations are decided on without reading the database. */
export interface LedgerCache extends LedgerState {
  /**
   * Called before a group decides. The result makes the queries that find a row when the decisions of its transaction
   * do not hold in the database.
   */
  begin(): (tx: LedgerTransaction) => readonly CompiledQuery[];
  /** Nothing else is decided on the cache until the function that it returns is called. */
  pause(): () => void;
  /** Called with the reason why a group could not be written. */
  failed(error: unknown): void;
  /** What was read in a transaction, as decisions in it see it. */
  over(state: LedgerState): LedgerState;
  /** Keeps balances that were read. */
  setBalances(balances: Iterable<Balance>): void;
  /** Applies what a committed group has changed. */
  applyCommitted(tx: LedgerTransaction): void;
}

/** Balances that decisions read: those of accounts, and of everything that has a limit. */
export const BALANCES: CacheBounds = { name: 'balances', maxBytes: 64 * 2 ** 20, entryBytes: 1_536 };

/** More than there are requests in flight at once. */
const MAX_CACHED_RESERVATIONS = 10_000;

/**
 * The balances as this process last read or changed them, and the reservations that it made. Other processes may have
 * changed them since, so the preconditions of decisions made on them must be checked in the database.
 */
export class BalanceCache implements LedgerCache {
  readonly isExact = false;
  readonly #leaseId: string;
  readonly #violatedPreconditions: ReturnType<typeof createPreconditionQueries>;
  readonly #balances = new BoundedCache<string, Balance>(BALANCES);
  readonly #reservations = new LruMap<string, ReservationRow>(MAX_CACHED_RESERVATIONS);

  /** Caches only reservations under the lease of this process: any process may end the others. */
  constructor({ leaseId, query }: Pick<Database, 'leaseId' | 'query'>) {
    this.#leaseId = leaseId;
    this.#violatedPreconditions = createPreconditionQueries(query);
  }

  begin() {
    return ({ assumptions }: LedgerTransaction) => this.#violatedPreconditions(assumptions);
  }

  /** Decisions may overtake each other, since each is verified. */
  pause() {
    return () => {};
  }

  failed(): void {}

  over(state: LedgerState): LedgerState {
    return state;
  }

  balance(subject: string): Balance | undefined {
    return this.#balances.get(subject);
  }

  reservation(id: string): ReservationRow | undefined {
    return this.#reservations.get(id);
  }

  isHeld(): boolean {
    return false;
  }

  setBalances(balances: Iterable<Balance>): void {
    for (const balance of balances) this.#balances.set(balance.subject, balance);
  }

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
