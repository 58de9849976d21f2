/** Runs operations on the ledger in groups, on cached balances where possible. See `docs/adr/0004-optimistic-ledger.md`. */
import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '../../base/clock.js';
import { type Balance, emptyBalance } from '../../ledger/balance/balance.js';
import { windowStart } from '../../ledger/balance/windows.js';
import type { Database } from '../database/database.js';
import { preparedLookup } from '../query/prepared.js';
import type { Tables } from '../schema/schema.js';
import { accountLock } from './account-lock.js';
import { BalanceCache, type LedgerCache } from './balance-cache.js';
import { bringBackFutureWindows } from './future-windows.js';
import { inGroups, type Run, runAll } from './group-commit.js';
import { LedgerClock } from './ledger-clock.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';
import {
  CacheMiss,
  createDeltaWriter,
  type LedgerState,
  LedgerTransaction,
  type ReservationRow,
} from './ledger-transaction.js';

/** What an operation reads; all of it belongs to one account. */
interface Need {
  readonly accountId: string;
  /** The subjects whose balances it reads; it may change others. */
  readonly subjects: readonly string[];
  /** The reservation that it reads; null for none. */
  readonly reservationId: string | null;
  /**
   * The instant of the operation in Unix milliseconds. Given only by an operation that declares the preconditions of
   * every decision and writes something that can't be written twice; it may run on cached balances. Without it, the
   * operation always reads the database.
   */
  readonly at?: number;
}

/** Runs an operation on the ledger; it is committed when the promise resolves. */
export type RunInLedger = <T>(need: Need, operation: (tx: LedgerTransaction) => Promise<T>) => Promise<T>;

type Group = readonly { readonly need: Need; readonly run: Run<[LedgerTransaction]> }[];

/** Fulfil the promises of a group once it is committed. */
type Done = readonly (() => void)[];

/**
 * Runs all operations on the ledger of a database; there is one per process. Operations that are submitted at the same
 * time share a transaction. Groups that touch the same account are serialized, across processes too, so everything that
 * changes an account's balances, reservations or ledger must go through here.
 *
 * A group first decides on cached balances, or on those of `memory`, and is written in one step, unless it turns out in
 * the database that they have changed. When they have, or the cache misses, the group decides again on what it reads
 * from the database. Nothing is ever refused on balances that may have changed.
 *
 * Charges are dated by a `LedgerClock`.
 */
export function createLedgerRunner(
  database: Database,
  memory: LedgerMemory | null,
  clock: Clock = systemClock,
  cache: LedgerCache = memory ?? new BalanceCache(database),
): RunInLedger {
  const readState = createStateReader();
  const writesOf = createDeltaWriter(database.query);
  const ledgerClock = new LedgerClock(clock, async (to) => {
    await bringBackFutureWindows(database, to, cache);
  });
  memory?.follow(ledgerClock);

  const fromCache = async (group: Group): Promise<Done | undefined> => {
    const unless = cache.begin();
    const decided = await decideFromCache(group, cache, ledgerClock);
    if (decided === undefined) return undefined;
    const { tx, done } = decided;
    const isWritten = await database.writeOptimistically(accountsOf(group), {
      unless: unless(tx),
      writes: [...tx.writes, ...writesOf(tx.deltas)],
      proofs: () => tx.proofs.map((proof) => proof()),
      onCommit: () => {
        cache.applyCommitted(tx);
        tx.committed();
      },
    });
    return isWritten ? done : undefined;
  };

  const fromDatabase = async (group: Group): Promise<Done> => {
    let resume = () => {};
    try {
      const { state, tx, done } = await database.transactWithLocks(accountsOf(group), async (db) => {
        resume = cache.pause();
        const state = await readState(db, group);
        const tx = new LedgerTransaction(cache.over(state), ledgerClock, db);
        const done = await runAll(group, tx);
        return { result: { state, tx, done }, writes: [...tx.writes, ...writesOf(tx.deltas)] };
      });
      cache.setBalances(state.balances.values());
      cache.applyCommitted(tx);
      tx.committed();
      return done;
    } finally {
      resume();
    }
  };

  return inGroups(async (group) => {
    try {
      await ledgerClock.check();
      return (await fromCache(group)) ?? (await fromDatabase(group));
    } catch (error) {
      cache.failed(error);
      throw error;
    }
  });
}

function accountsOf(group: Group): readonly string[] {
  return [...new Set(group.map(({ need }) => accountLock(need.accountId)))];
}

/** Undefined when the cache does not suffice. */
async function decideFromCache(group: Group, cache: LedgerCache, clock: LedgerClock) {
  if (!isOfOneDay(group)) return undefined;
  const tx = new LedgerTransaction(cache, clock);
  try {
    const done = await runAll(group, tx);
    return tx.proofs.length === 0 ? undefined : { tx, done };
  } catch (error) {
    if (error instanceof CacheMiss) return undefined;
    throw error;
  }
}

/** Within one UTC day all windows are the same, so the preconditions of one operation hold for all of the group. */
function isOfOneDay(group: Group): boolean {
  const [first] = group;
  const day = first && dayOf(first.need);
  return day !== undefined && group.every(({ need }) => dayOf(need) === day);
}

function dayOf({ at }: Need): number | undefined {
  return at === undefined ? undefined : windowStart('daily', at);
}

function createStateReader() {
  const readBalances = createBalanceReader();
  const readReservations = preparedLookup((db, ids) =>
    db.selectFrom('reservation').selectAll().where('id', 'in', ids).compile(),
  );
  return async (db: Kysely<Tables>, group: Group) => {
    const subjects = [...new Set(group.flatMap(({ need }) => need.subjects))];
    const ids = group.flatMap(({ need }) => (need.reservationId === null ? [] : [need.reservationId]));
    // Sent together, so that they take one round trip.
    const [balances, reservations] = await Promise.all([
      readBalances(db, subjects),
      readReservations(db, ids),
    ]);
    return new StoredState(subjects, balances, reservations);
  };
}

class StoredState implements LedgerState {
  readonly isExact = true;
  readonly balances: ReadonlyMap<string, Balance>;
  readonly #reservations: ReadonlyMap<string, ReservationRow>;

  constructor(
    subjects: readonly string[],
    balances: readonly Balance[],
    reservations: readonly ReservationRow[],
  ) {
    const all = new Map(subjects.map((subject) => [subject, emptyBalance(subject)]));
    for (const balance of balances) all.set(balance.subject, balance);
    this.balances = all;
    this.#reservations = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  }

  balance(subject: string): Balance | undefined {
    return this.balances.get(subject);
  }

  reservation(id: string): ReservationRow | null {
    return this.#reservations.get(id) ?? null;
  }

  isHeld(): boolean {
    return false;
  }
}
