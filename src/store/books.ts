/** Balances and reservations while a group of acts moves them: read once, changed in memory, written at the end. */
import type { CompiledQuery, Insertable, Kysely, Selectable } from 'kysely';
import { type Balance, emptyBalance } from '../spend/balance.js';
import type { Database } from './database.js';
import { inGroups, runAll } from './group-commit.js';
import { preparedInsert, preparedLookup } from './prepared.js';
import type { ReservationTable, SpendTotalTable, Tables } from './schema.js';
import { balanceReader, totalRow } from './spend-rows.js';

/** What an act needs, all of it one account's. */
interface Need {
  readonly accountId: string;
  /** Whose balances. */
  readonly subjects: readonly string[];
  /** The reservation that it looks at; null for none. */
  readonly reservationId: string | null;
}

type Reservation = Selectable<ReservationTable>;

/** What a group needs. Nobody else moves it while it is open. */
export class Books {
  readonly #db: Kysely<Tables>;
  readonly #balances: Map<string, Balance>;
  readonly #reservations: Map<string, Reservation>;
  readonly #changed = new Set<string>();
  #writes: CompiledQuery[] = [];

  constructor(db: Kysely<Tables>, balances: readonly Balance[], reservations: readonly Reservation[]) {
    this.#db = db;
    this.#balances = new Map(balances.map((balance) => [balance.subject, balance]));
    this.#reservations = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  }

  /** The balance of a subject that was said to be needed. */
  of = (subject: string): Balance => this.#balances.get(subject) ?? emptyBalance(subject);

  change(subjects: readonly string[], act: (balance: Balance) => Balance): void {
    for (const subject of subjects) {
      this.#balances.set(subject, act(this.of(subject)));
      this.#changed.add(subject);
    }
  }

  /** The reservation that was said to be needed; undefined when there is none (any more). */
  reservation(id: string): Reservation | undefined {
    return this.#reservations.get(id);
  }

  /** Has a reservation kept, or kept no longer, by this statement. */
  changeReservation(id: string, reservation: Reservation | undefined, write: CompiledQuery): void {
    if (reservation === undefined) this.#reservations.delete(id);
    else this.#reservations.set(id, reservation);
    this.write(write);
  }

  /** Has something else written, after all that was asked for before. */
  write(query: CompiledQuery): void {
    this.#writes.push(query);
  }

  /** For reads of anything but balances and reservations, which see what this group has written. */
  async reader(): Promise<Kysely<Tables>> {
    for (const query of this.#writes) await this.#db.executeQuery(query);
    this.#writes = [];
    return this.#db;
  }

  /** What is still to be written. */
  writes(save: (balance: Balance) => CompiledQuery): readonly CompiledQuery[] {
    return [...this.#writes, ...[...this.#changed].map((subject) => save(this.of(subject)))];
  }
}

/** Runs an act on the books with what it needs; committed when the promise resolves. */
export type Bookkeeping = <T>(need: Need, act: (books: Books) => Promise<T>) => Promise<T>;

/**
 * Keeps the books of a database. There is one per process: acts asked for at the same time share a transaction. Groups
 * that move the same account follow each other, also those of different processes: whatever moves an account's
 * balances, reservations or ledger goes through here.
 */
export function bookkeeping(database: Database): Bookkeeping {
  const upsert = preparedInsert(database.query, 'spend_total', (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet(({ ref }) => Object.fromEntries(AMOUNTS.map((name) => [name, ref(`excluded.${name}`)]))),
    ),
  );
  const save = (balance: Balance) => upsert(totalRow(balance));
  const open = opener();
  return inGroups((group) => {
    const needs = group.map(({ need }) => need);
    return database.transactOn(accountsOf(needs), async (db) => {
      const books = await open(db, needs);
      const result = await runAll(group, books);
      return { result, writes: books.writes(save) };
    });
  });
}

function accountsOf(needs: readonly Need[]): readonly string[] {
  return needs.map(({ accountId }) => accountLock(accountId));
}

/** What a transaction names that moves an account's money. */
export function accountLock(accountId: string): string {
  return `account/${accountId}`;
}

function opener() {
  const readBalances = balanceReader();
  const readReservations = preparedLookup((db, ids) =>
    db.selectFrom('reservation').selectAll().where('id', 'in', ids).compile(),
  );
  return async (db: Kysely<Tables>, needs: readonly Need[]): Promise<Books> => {
    const subjects = [...new Set(needs.flatMap((need) => need.subjects))];
    const ids = needs.flatMap(({ reservationId }) => (reservationId === null ? [] : [reservationId]));
    // Asked at once, they are answered at once.
    const [balances, reservations] = await Promise.all([
      readBalances(db, subjects),
      readReservations(db, ids),
    ]);
    return new Books(db, balances, reservations);
  };
}

const AMOUNTS = Object.keys(totalRow(emptyBalance(''))).filter(
  (name): name is Exclude<keyof Insertable<SpendTotalTable>, 'subject'> => name !== 'subject',
);
