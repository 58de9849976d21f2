import type { Kysely } from 'kysely';
import { type Balance, emptyBalance } from '../../ledger/balance.js';
import { windowStart } from '../../ledger/windows.js';
import type { Database } from '../database.js';
import { preparedLookup } from '../engine/prepared.js';
import type { Tables } from '../schema.js';
import { BalanceCache } from './balance-cache.js';
import { createDeltaWriter } from './delta-writer.js';
import { inGroups, type Run, runAll } from './group-commit.js';
import { createBalanceReader } from './ledger-rows.js';
import { CacheMiss, type LedgerState, LedgerTransaction, type Reservation } from './ledger-transaction.js';
import { createPreconditionQueries } from './preconditions.js';

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
export type RunInLedger = <T>(need: Need, act: (tx: LedgerTransaction) => Promise<T>) => Promise<T>;

/** Acts that share a transaction. */
type Group = readonly { readonly need: Need; readonly run: Run<[LedgerTransaction]> }[];

/**
 * Keeps the books of a database. There is one per process: acts asked for at the same time share a transaction. Groups
 * that move the same account follow each other, also those of different processes: whatever moves an account's
 * balances, reservations or ledger goes through here.
 *
 * A group is decided by what is remembered, and written in one step unless the database then finds that this would
 * make a difference. Where it does, or what is remembered does not suffice, the group is decided by what is read.
 * Nothing is ever refused by what is remembered.
 */
export function createLedgerRunner(database: Database): RunInLedger {
  const balanceCache = new BalanceCache(database.leaseId);
  const open = opener();
  const writesOf = createDeltaWriter(database.query);
  const violatedPreconditions = createPreconditionQueries(database.query);

  const fromCache = async (group: Group): Promise<Done | undefined> => {
    const decided = await decideFromCache(group, balanceCache);
    if (decided === undefined) return undefined;
    const { tx, done } = decided;
    const isWritten = await database.writeOptimistically(accountsOf(group), {
      unless: violatedPreconditions(tx.assumptions),
      writes: [...tx.writes, ...writesOf(tx.deltas)],
      proofs: () => tx.proofs.map((proof) => proof()),
    });
    if (!isWritten) return undefined;
    balanceCache.follow(tx);
    return done;
  };

  const fromDatabase = async (group: Group): Promise<Done> => {
    const { read, tx, done } = await database.transactWithLocks(accountsOf(group), async (db) => {
      const read = await open(db, group);
      const tx = new LedgerTransaction(read, db);
      const done = await runAll(group, tx);
      return { result: { read, tx, done }, writes: [...tx.writes, ...writesOf(tx.deltas)] };
    });
    balanceCache.learn(read.balances.values());
    balanceCache.follow(tx);
    return done;
  };

  return inGroups(async (group) => (await fromCache(group)) ?? (await fromDatabase(group)));
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
async function decideFromCache(group: Group, balanceCache: BalanceCache) {
  if (!isOfOneDay(group)) return undefined;
  const tx = new LedgerTransaction(balanceCache);
  try {
    const done = await runAll(group, tx);
    return tx.proofs.length === 0 ? undefined : { tx, done };
  } catch (error) {
    if (error instanceof CacheMiss) return undefined;
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
  const readBalances = createBalanceReader();
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
class Read implements LedgerState {
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
