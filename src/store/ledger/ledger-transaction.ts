/** Balances and reservations during a group of operations: changed in memory, written together at the end. */
import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import { type Precondition, Preconditions } from '../../ledger/admission.js';
import {
  applyDelta,
  type Balance,
  type BalanceDelta,
  emptyBalance,
  sumDeltas,
} from '../../ledger/balance/balance.js';
import { hasNewestOnly } from '../../ledger/balance/recent-windows.js';
import { preparedInsert } from '../query/prepared.js';
import type { ReservationTable, Tables } from '../schema/schema.js';
import { addedTotals } from './balance-sql.js';
import type { LedgerClock } from './ledger-clock.js';
import { totalRow } from './ledger-rows.js';

export type ReservationRow = Selectable<ReservationTable>;

/** What a group reads, from the database or from the cache. */
export interface LedgerState {
  /** undefined = not cached. */
  balance(subject: string): Balance | undefined;
  /** null = there is none; undefined = not cached. */
  reservation(id: string): ReservationRow | null | undefined;
  /** Whether the reservation is in the memory of this process, not in the database. */
  isHeld(id: string): boolean;
  /** Whether decisions on it need no preconditions. */
  readonly isExact: boolean;
}

/** Makes the statements that write rows of one kind, several rows in each. */
type Statements<R> = (rows: readonly R[]) => readonly CompiledQuery[];

/** A group that runs on the cache needs what only the database has. */
export class CacheMiss extends Error {
  override readonly name = 'CacheMiss';
}

/** The view of a group of operations on the ledger, and everything that it has to write. */
export class LedgerTransaction {
  readonly #state: LedgerState;
  /** Undefined when the group runs on the cache. */
  readonly #db: Kysely<Tables> | undefined;
  readonly #deltas = new Map<string, BalanceDelta>();
  readonly #endedHeld = new Set<string>();
  readonly #changedReservations = new Map<string, ReservationRow | null>();
  readonly #preconditions = new Preconditions();
  readonly #usedReservations = new Map<string, ReservationRow>();
  #writes: CompiledQuery[] = [];
  readonly #added = new Map<Statements<never>, unknown[]>();
  readonly #removed = new Map<Statements<never>, unknown[]>();
  readonly #proofs: (() => CompiledQuery)[] = [];
  readonly #whenCommitted: (() => void)[] = [];

  readonly #clock: Pick<LedgerClock, 'chargedAt'>;

  /** With a database: within the transaction that has read `state` under the locks of its accounts. */
  constructor(state: LedgerState, clock: Pick<LedgerClock, 'chargedAt'>, db?: Kysely<Tables>) {
    this.#state = state;
    this.#clock = clock;
    this.#db = db;
  }

  /** The balance of a subject that the operation has declared to read. */
  balance = (subject: string): Balance => {
    const known = this.#state.balance(subject);
    if (known === undefined) throw new CacheMiss();
    const delta = this.#deltas.get(subject);
    return delta === undefined ? known : applyDelta(known, delta);
  };

  /** When a request that began at `at` is charged; both in Unix milliseconds. */
  chargedAt(at: number): number {
    return this.#clock.chargedAt(at);
  }

  /** Declares the preconditions of a decision that was made on balances of this transaction. */
  assume(preconditions: readonly Precondition[]): void {
    if (this.#state.isExact) return;
    for (const precondition of preconditions)
      this.#preconditions.add(precondition, this.#deltas.get(precondition.selector.subject));
  }

  /** For decisions that must not be made on cached balances. */
  requireCurrent(): void {
    if (this.#db === undefined) throw new CacheMiss();
  }

  addDelta(subjects: readonly string[], added: BalanceDelta): void {
    for (const subject of subjects) {
      const delta = this.#deltas.get(subject);
      this.#deltas.set(subject, delta === undefined ? added : sumDeltas(delta, added));
    }
  }

  /** The reservation that the operation has declared to read; null when there is none (any more). */
  reservation(id: string): ReservationRow | null {
    const changed = this.#changedReservations.get(id);
    if (changed !== undefined) return changed;
    const known = this.#state.reservation(id);
    if (known === undefined) throw new CacheMiss();
    if (known !== null) this.#usedReservations.set(id, known);
    return known;
  }

  /** Ends a reservation in memory; false when there is none. */
  endHeld(id: string): boolean {
    if (!this.#state.isHeld(id)) return false;
    this.#endedHeld.add(id);
    return true;
  }

  /** Records the new state of a stored reservation, without writing it; null = it ends. */
  changeReservation(id: string, reservation: ReservationRow | null): void {
    this.#changedReservations.set(id, reservation);
  }

  /** Adds a query to those that run at the end, in this order. */
  write(query: CompiledQuery): void {
    this.#writes.push(query);
  }

  /** Adds a row to statements that write all such rows of the group; they run after what `write` was given. */
  add<R>(statements: Statements<R>, row: R): void {
    collect(this.#added, statements, row);
  }

  /** Adds a row to statements that remove all such rows of the group; they run after those of `add`. */
  remove<R>(statements: Statements<R>, row: R): void {
    collect(this.#removed, statements, row);
  }

  /** As `add`, for a row that can't be written twice. The query of `proof` finds a row once it is committed. */
  addOnce<R>(statements: Statements<R>, row: R, proof: () => CompiledQuery): void {
    this.add(statements, row);
    this.#proofs.push(proof);
  }

  /** Runs once the group is committed; perhaps not where the commit's answer was lost. */
  whenCommitted(run: () => void): void {
    this.#whenCommitted.push(run);
  }

  /** To be called after the commit. */
  committed(): void {
    for (const run of this.#whenCommitted) run();
  }

  /**
   * For reading other tables. Writes what the group has added so far, except the changes of balances, so that reads see
   * it.
   */
  async reader(): Promise<Kysely<Tables>> {
    if (this.#db === undefined) throw new CacheMiss();
    for (const query of this.writes) await this.#db.executeQuery(query);
    this.#writes = [];
    this.#added.clear();
    this.#removed.clear();
    return this.#db;
  }

  /** What is still to be written, except the changes of balances. */
  get writes(): readonly CompiledQuery[] {
    const collected = [...this.#added, ...this.#removed];
    return [...this.#writes, ...collected.flatMap(([statements, rows]) => statements(rows as never[]))];
  }

  /** Queries that each find a row once this group is committed. Without any, a lost commit could not be detected. */
  get proofs(): readonly (() => CompiledQuery)[] {
    return this.#proofs;
  }

  /** By subject. */
  get deltas(): ReadonlyMap<string, BalanceDelta> {
    return this.#deltas;
  }

  /** Ids of reservations in memory that end with the commit. */
  get endedHeld(): ReadonlySet<string> {
    return this.#endedHeld;
  }

  /** By id; null = ended. */
  get changedReservations(): ReadonlyMap<string, ReservationRow | null> {
    return this.#changedReservations;
  }

  /** What must hold in the database for the decisions of a group that ran on the cache. */
  get assumptions(): {
    readonly preconditions: readonly Precondition[];
    readonly reservations: readonly ReservationRow[];
  } {
    return { preconditions: this.#preconditions.all(), reservations: [...this.#usedReservations.values()] };
  }
}

/** Makes statements that add deltas to the stored totals, whatever their values are by then. */
export function createDeltaWriter(
  db: Kysely<Tables>,
): (deltas: ReadonlyMap<string, BalanceDelta>) => readonly CompiledQuery[] {
  const upsert = preparedInsert(db, 'spend_total', (insert) =>
    insert.onConflict((conflict) => conflict.column('subject').doUpdateSet(addedTotals())),
  );
  return (deltas) => {
    const all = [...deltas];
    const older = all.filter(([, delta]) => !hasNewestOnly(delta));
    // A statement can't add twice to a row, and a row has one window of each interval.
    return [
      ...upsert(all.map(([subject, delta]) => totalRow(subject, delta))),
      ...upsert(
        older.map(([subject, { previous }]) => totalRow(subject, { ...emptyBalance(''), windows: previous })),
      ),
    ];
  };
}

function collect<R>(rows: Map<Statements<never>, unknown[]>, statements: Statements<R>, row: R): void {
  const known = rows.get(statements);
  if (known === undefined) rows.set(statements, [row]);
  else known.push(row);
}
