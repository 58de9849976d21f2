import type { Kysely } from 'kysely';
import { type Balance, emptyBalance } from '../spend/balance.js';
import { windowStart } from '../spend/windows.js';
import type { Database } from './database.js';
import { inGroups, type Run, runAll } from './group-commit.js';
import { objections } from './objections.js';
import { Books, type Known, NotKnown, type Reservation } from './open-books.js';
import { preparedLookup } from './prepared.js';
import { Remembered } from './remembered.js';
import type { Tables } from './schema.js';
import { balanceReader } from './spend-rows.js';
import { movementWriter } from './total-writes.js';

/** What an act needs, all of it one account's. */
interface Need {
  readonly accountId: string;
  /** Whose balances it looks at; it may move others. */
  readonly subjects: readonly string[];
  /** The reservation that it looks at; null for none. */
  readonly reservationId: string | null;
  /**
   * The instant that it is about, in Unix milliseconds, where it says of every decision what that rests on and writes
   * something that can't be written twice. Left out, it always has what is current.
   */
  readonly at?: number;
}

/** Runs an act on the books with what it needs; committed when the promise resolves. */
export type Bookkeeping = <T>(need: Need, act: (books: Books) => Promise<T>) => Promise<T>;

/** Acts that share a transaction. */
type Group = readonly { readonly need: Need; readonly run: Run<[Books]> }[];

/**
 * Keeps the books of a database. There is one per process: acts asked for at the same time share a transaction. Groups
 * that move the same account follow each other, also those of different processes: whatever moves an account's
 * balances, reservations or ledger goes through here.
 *
 * A group is decided by what is remembered, and written in one step unless the database then finds that this would
 * make a difference. Where it does, or what is remembered does not suffice, the group is decided by what is read.
 * Nothing is ever refused by what is remembered.
 */
export function bookkeeping(database: Database): Bookkeeping {
  const remembered = new Remembered(database.holder);
  const open = opener();
  const writesOf = movementWriter(database.query);
  const objectionsTo = objections(database.query);

  const byMemory = async (group: Group): Promise<Done | undefined> => {
    const decided = await decideByMemory(group, remembered);
    if (decided === undefined) return undefined;
    const { books, done } = decided;
    const isWritten = await database.writeOn(accountsOf(group), {
      unless: objectionsTo(books.restsOn),
      writes: [...books.writes, ...writesOf(books.movements)],
      proofs: () => books.proofs.map((proof) => proof()),
    });
    if (!isWritten) return undefined;
    remembered.follow(books);
    return done;
  };

  const byReading = async (group: Group): Promise<Done> => {
    const { read, books, done } = await database.transactOn(accountsOf(group), async (db) => {
      const read = await open(db, group);
      const books = new Books(read, db);
      const done = await runAll(group, books);
      return { result: { read, books, done }, writes: [...books.writes, ...writesOf(books.movements)] };
    });
    remembered.learn(read.balances.values());
    remembered.follow(books);
    return done;
  };

  return inGroups(async (group) => (await byMemory(group)) ?? (await byReading(group)));
}

/** What a transaction names that moves an account's money. */
export function accountLock(accountId: string): string {
  return `account/${accountId}`;
}

/** What tells each act of a group that it is committed. */
type Done = readonly (() => void)[];

function accountsOf(group: Group): readonly string[] {
  return [...new Set(group.map(({ need }) => accountLock(need.accountId)))];
}

/** Undefined where what is remembered does not suffice. */
async function decideByMemory(group: Group, remembered: Remembered) {
  if (!isOfOneDay(group)) return undefined;
  const books = new Books(remembered);
  try {
    const done = await runAll(group, books);
    return books.proofs.length === 0 ? undefined : { books, done };
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

/** What counts at one instant of a group counts at the others, too: conditions of one hold for all. */
function isOfOneDay(group: Group): boolean {
  const [first] = group;
  const day = first && dayOf(first.need);
  return day !== undefined && group.every(({ need }) => dayOf(need) === day);
}

function dayOf({ at }: Need): number | undefined {
  return at === undefined ? undefined : windowStart('daily', at);
}

function opener() {
  const readBalances = balanceReader();
  const readReservations = preparedLookup((db, ids) =>
    db.selectFrom('reservation').selectAll().where('id', 'in', ids).compile(),
  );
  return async (db: Kysely<Tables>, group: Group) => {
    const subjects = [...new Set(group.flatMap(({ need }) => need.subjects))];
    const ids = group.flatMap(({ need }) => (need.reservationId === null ? [] : [need.reservationId]));
    // Asked at once, they are answered at once.
    const [balances, reservations] = await Promise.all([
      readBalances(db, subjects),
      readReservations(db, ids),
    ]);
    return new Read(subjects, balances, reservations);
  };
}

/** What a group has read. */
class Read implements Known {
  readonly balances: ReadonlyMap<string, Balance>;
  readonly #reservations: ReadonlyMap<string, Reservation>;

  constructor(
    subjects: readonly string[],
    balances: readonly Balance[],
    reservations: readonly Reservation[],
  ) {
    const all = new Map(subjects.map((subject) => [subject, emptyBalance(subject)]));
    for (const balance of balances) all.set(balance.subject, balance);
    this.balances = all;
    this.#reservations = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  }

  balance(subject: string): Balance | undefined {
    return this.balances.get(subject);
  }

  reservation(id: string): Reservation | null {
    return this.#reservations.get(id) ?? null;
  }
}
