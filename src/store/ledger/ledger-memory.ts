/** The ledger in the memory of the one process that serves. See `docs/adr/0024-ledger-in-memory.md`. */
import { BoundedCache } from '../../base/memory/bounded-cache.js';
import { Problem } from '../../base/problem.js';
import { applyDelta, type Balance, emptyBalance } from '../../ledger/balance/balance.js';
import { HeldReservations } from '../../ledger/held-reservations.js';
import type { Database } from '../database/database.js';
import type { ExclusiveAccess } from '../engine/engine.js';
import { preparedList } from '../query/prepared.js';
import { BALANCES, type LedgerCache } from './balance-cache.js';
import type { LedgerClock } from './ledger-clock.js';
import { balanceOf } from './ledger-rows.js';
import type { LedgerState, LedgerTransaction } from './ledger-transaction.js';

/** Null where several processes may serve from the database. */
export function createLedgerMemory({ exclusive, query, ping }: Database): LedgerMemory | null {
  if (exclusive === null) return null;
  const rowsOf = preparedList(
    (db, subjects: readonly string[]) =>
      db.selectFrom('spend_total').selectAll().where('subject', 'in', subjects).compile(),
    (subject) => [subject],
  );
  const read = (subjects: readonly string[]) => exclusive.rows(rowsOf(query, subjects)).map(balanceOf);
  return new LedgerMemory(exclusive, { read, ping });
}

interface LedgerDatabase {
  /** Subjects without a row are left out. */
  read(subjects: readonly string[]): readonly Balance[];
  /** Throws when the database can't be written. */
  ping(): Promise<void>;
}

/**
 * Balances as they are in the database, and the reservations of requests in flight, which are nowhere else. Balances
 * are changed in the turn of the event loop that commits them, and dropped when another process has committed anything;
 * so a decision on them is exact.
 */
export class LedgerMemory implements LedgerCache {
  readonly isExact = true;
  readonly held = new HeldReservations();
  readonly #access: ExclusiveAccess;
  readonly #database: LedgerDatabase;
  #balances = new BoundedCache<string, Balance>(BALANCES);
  #clock: Pick<LedgerClock, 'check'> | undefined;
  #dataVersion = Number.NaN;
  /** Whether the version was compared in this turn of the event loop. */
  #isCurrent = false;
  /** Whether the last group could not be written. */
  #isInDoubt = false;
  /** Settles when the group that decides on what it has read has ended. */
  #paused: Promise<void> | undefined;

  constructor(access: ExclusiveAccess, database: LedgerDatabase) {
    this.#access = access;
    this.#database = database;
  }

  /**
   * Runs a decision, which may change what is held, once no group is deciding on what it has read. Throws
   * DatabaseUnusable when another process has the ledger. Throws the Problem `database_unavailable` while nothing can
   * be written, since nothing may be sent that can't be settled.
   */
  async decide<T>(decision: () => T): Promise<T> {
    if (this.#isInDoubt) {
      await this.#database.ping();
      this.#isInDoubt = false;
    }
    const checking = this.#clock?.check();
    if (checking) await checking;
    while (this.#paused !== undefined) await this.#paused;
    this.#refresh();
    return decision();
  }

  /** Decisions look at this clock first. */
  follow(clock: Pick<LedgerClock, 'check'>): void {
    this.#clock = clock;
  }

  /** With what is held. */
  balanceOf = (subject: string): Balance => this.held.addedTo(this.#balance(subject));

  /** Without what is held; undefined where another process may have the ledger. */
  stored(subjects: readonly string[]): readonly Balance[] | undefined {
    if (!this.#access.isClaimed) return undefined;
    this.#refresh();
    const missing = subjects.filter((subject) => this.#balances.get(subject) === undefined);
    const found = new Map(this.#load(missing).map((balance) => [balance.subject, balance]));
    return subjects.map((subject) => found.get(subject) ?? this.#balance(subject));
  }

  begin() {
    this.#refresh();
    const unless = [this.#access.changedSince(this.#dataVersion)];
    return () => unless;
  }

  pause() {
    let settle = () => {};
    const paused = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.#paused = paused;
    return () => {
      // The next group may have begun in the meantime.
      if (this.#paused === paused) this.#paused = undefined;
      settle();
    };
  }

  failed(error: unknown): void {
    if (error instanceof Problem && error.reason === 'database_unavailable') this.#isInDoubt = true;
  }

  over(state: LedgerState): LedgerState {
    return {
      isExact: true,
      balance: (subject) => {
        const balance = state.balance(subject);
        return balance && this.held.addedTo(balance);
      },
      reservation: (id) => state.reservation(id),
      isHeld: (id) => this.held.has(id),
    };
  }

  balance(subject: string): Balance {
    return this.balanceOf(subject);
  }

  /** Stored ones are read where they are needed: only those of batches are, and what a crash of an older version left. */
  reservation(): undefined {
    return undefined;
  }

  isHeld(id: string): boolean {
    return this.held.has(id);
  }

  setBalances(balances: Iterable<Balance>): void {
    for (const balance of balances) this.#balances.set(balance.subject, balance);
  }

  applyCommitted({ deltas, endedHeld }: LedgerTransaction): void {
    for (const [subject, delta] of deltas) {
      const balance = this.#balances.get(subject);
      if (balance !== undefined) this.#balances.set(subject, applyDelta(balance, delta));
    }
    for (const id of endedHeld) this.held.end(id);
  }

  /** Once in a turn of the event loop: asking costs more than a decision. */
  #refresh(): void {
    if (this.#isCurrent) return;
    this.#access.claim();
    const version = this.#access.dataVersion();
    this.#isCurrent = true;
    setImmediate(() => {
      this.#isCurrent = false;
    });
    if (version === this.#dataVersion) return;
    this.#balances = new BoundedCache(BALANCES);
    this.#dataVersion = version;
  }

  #balance(subject: string): Balance {
    return this.#balances.get(subject) ?? this.#load([subject])[0] ?? emptyBalance(subject);
  }

  /** While a group decides on what it has read, it may be committed and not yet applied: nothing is cached then. */
  #load(subjects: readonly string[]): readonly Balance[] {
    if (subjects.length === 0) return [];
    const stored = new Map(this.#database.read(subjects).map((balance) => [balance.subject, balance]));
    const balances = subjects.map((subject) => stored.get(subject) ?? emptyBalance(subject));
    if (this.#paused === undefined) this.setBalances(balances);
    return balances;
  }
}
