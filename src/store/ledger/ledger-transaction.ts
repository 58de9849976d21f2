/** Balances and reservations while a group of acts moves them: changed in memory, written at the end. */
import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import { applyDelta, type Balance, type BalanceDelta, sumDeltas } from '../../ledger/balance.js';
import { type Precondition, Preconditions } from '../../ledger/preconditions.js';
import type { ReservationTable, Tables } from '../schema.js';

/** A reservation as it is kept. */
export type Reservation = Selectable<ReservationTable>;

/** What a group begins with. */
export interface LedgerState {
  /** The balance of a subject; undefined where it is not known. */
  balance(subject: string): Balance | undefined;
  /** null = there is none; undefined where that is not known. */
  reservation(id: string): Reservation | null | undefined;
}

/** What writes rows of one kind, in as few statements as it takes. */
type Statements<R> = (rows: readonly R[]) => readonly CompiledQuery[];

/** A group that goes by what is remembered asks for what only the database can say. */
export class CacheMiss extends Error {
  override readonly name = 'NotKnown';
}

/** What a group has open. */
export class LedgerTransaction {
  readonly #known: LedgerState;
  /** Undefined where the group goes by what is remembered. */
  readonly #db: Kysely<Tables> | undefined;
  readonly #applyDelta = new Map<string, BalanceDelta>();
  readonly #reservations = new Map<string, Reservation | null>();
  readonly #preconditions = new Preconditions();
  readonly #used = new Map<string, Reservation>();
  #writes: CompiledQuery[] = [];
  readonly #added = new Map<Statements<never>, unknown[]>();
  readonly #removed = new Map<Statements<never>, unknown[]>();
  readonly #proofs: (() => CompiledQuery)[] = [];

  /** With a database: within the transaction that has read what is known, and nobody else moves that. */
  constructor(known: LedgerState, db?: Kysely<Tables>) {
    this.#known = known;
    this.#db = db;
  }

  /** The balance of a subject that was said to be looked at. */
  balance = (subject: string): Balance => {
    const known = this.#known.balance(subject);
    if (known === undefined) throw new CacheMiss();
    const delta = this.#applyDelta.get(subject);
    return delta === undefined ? known : applyDelta(known, delta);
  };

  /** Says what a decision rests on that was made on balances of here. */
  assume(preconditions: readonly Precondition[]): void {
    if (this.#db !== undefined) return;
    for (const precondition of preconditions)
      this.#preconditions.demand(precondition, this.#applyDelta.get(precondition.selector.subject));
  }

  /** Says that a decision holds of what is current alone. */
  requireCurrent(): void {
    if (this.#db === undefined) throw new CacheMiss();
  }

  /** Moves the balances of the subjects. */
  addDelta(subjects: readonly string[], by: BalanceDelta): void {
    for (const subject of subjects) {
      const delta = this.#applyDelta.get(subject);
      this.#applyDelta.set(subject, delta === undefined ? by : sumDeltas(delta, by));
    }
  }

  /** The reservation that was said to be looked at; null when there is none (any more). */
  reservation(id: string): Reservation | null {
    const changed = this.#reservations.get(id);
    if (changed !== undefined) return changed;
    const known = this.#known.reservation(id);
    if (known === undefined) throw new CacheMiss();
    if (known !== null) this.#used.set(id, known);
    return known;
  }

  /** What becomes of a reservation by what is written here; null = it ends. */
  changeReservation(id: string, reservation: Reservation | null): void {
    this.#reservations.set(id, reservation);
  }

  /** Has something else written, after all that was asked for before. */
  write(query: CompiledQuery): void {
    this.#writes.push(query);
  }

  /** Has one more row written by statements that take all of the group's at once, after what `write` asked for. */
  add<R>(statements: Statements<R>, row: R): void {
    collect(this.#added, statements, row);
  }

  /** Has one more row removed by such statements, after all that is added. */
  remove<R>(statements: Statements<R>, row: R): void {
    collect(this.#removed, statements, row);
  }

  /** As `add`, of what can't be written a second time. The proof finds a row once it is committed. */
  addOnce<R>(statements: Statements<R>, row: R, proof: () => CompiledQuery): void {
    this.add(statements, row);
    this.#proofs.push(proof);
  }

  /** For reads of anything but balances and reservations, which see what this group has written but for balances. */
  async reader(): Promise<Kysely<Tables>> {
    if (this.#db === undefined) throw new CacheMiss();
    for (const query of this.writes) await this.#db.executeQuery(query);
    this.#writes = [];
    this.#added.clear();
    this.#removed.clear();
    return this.#db;
  }

  /** What is still to be written, but for the balances. */
  get writes(): readonly CompiledQuery[] {
    const collected = [...this.#added, ...this.#removed];
    return [...this.#writes, ...collected.flatMap(([statements, rows]) => statements(rows as never[]))];
  }

  /** Each finds a row once this group is committed. None where nothing would tell. */
  get proofs(): readonly (() => CompiledQuery)[] {
    return this.#proofs;
  }

  /** What the balances of subjects are moved by. */
  get deltas(): ReadonlyMap<string, BalanceDelta> {
    return this.#applyDelta;
  }

  /** Reservations that were made, changed or (null) ended. */
  get changedReservations(): ReadonlyMap<string, Reservation | null> {
    return this.#reservations;
  }

  /** What must hold in the database for the decisions of a group that went by what is remembered. */
  get assumptions(): {
    readonly preconditions: readonly Precondition[];
    readonly reservations: readonly Reservation[];
  } {
    return { preconditions: this.#preconditions.all(), reservations: [...this.#used.values()] };
  }
}

/** The rows are those that were given with the same statements. */
function collect<R>(rows: Map<Statements<never>, unknown[]>, statements: Statements<R>, row: R): void {
  const known = rows.get(statements);
  if (known === undefined) rows.set(statements, [row]);
  else known.push(row);
}
