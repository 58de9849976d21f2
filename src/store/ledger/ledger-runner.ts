/** Runs operations on the ledger in groups, on cached balances where possible. See `docs/adr/0004-optimistic-ledger.md`. */
import type { Kysely } from 'kysely';
import { BoundedCache, type CacheBounds } from '../../base/bounded-cache.js';
import { LruMap } from '../../base/lru-map.js';
import { applyDelta, type Balance, emptyBalance } from '../../ledger/balance.js';
import { windowStart } from '../../ledger/windows.js';
import type { Database } from '../database.js';
import { preparedLookup } from '../engine/prepared.js';
import type { Tables } from '../schema.js';
import { inGroups, type Run, runAll } from './group-commit.js';
import { createBalanceReader } from './ledger-rows.js';
import {
  CacheMiss,
  createDeltaWriter,
  type LedgerState,
  LedgerTransaction,
  type Reservation,
} from './ledger-transaction.js';
import { createPreconditionQueries } from './preconditions.js';

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
 * A group first decides on cached balances and is written in one step, unless its preconditions fail in the database.
 * When they do, or the cache misses, the group decides again on what it reads from the database. Nothing is ever
 * refused on cached balances.
 */
export function createLedgerRunner(database: Database): RunInLedger {
  const balanceCache = new BalanceCache(database.leaseId);
  const readState = createStateReader();
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
    balanceCache.applyCommitted(tx);
    return done;
  };

  const fromDatabase = async (group: Group): Promise<Done> => {
    const { state, tx, done } = await database.transactWithLocks(accountsOf(group), async (db) => {
      const state = await readState(db, group);
      const tx = new LedgerTransaction(state, db);
      const done = await runAll(group, tx);
      return { result: { state, tx, done }, writes: [...tx.writes, ...writesOf(tx.deltas)] };
    });
    balanceCache.setBalances(state.balances.values());
    balanceCache.applyCommitted(tx);
    return done;
  };

  return inGroups(async (group) => (await fromCache(group)) ?? (await fromDatabase(group)));
}

/** The lock for everything that changes the money of an account. */
export function accountLock(accountId: string): string {
  return `account/${accountId}`;
}

function accountsOf(group: Group): readonly string[] {
  return [...new Set(group.map(({ need }) => accountLock(need.accountId)))];
}

/** Undefined when the cache does not suffice. */
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

/** Balances that decisions read: of accounts, and of whatever has a limit. */
const BALANCES: CacheBounds = { name: 'balances', maxBytes: 64 * 2 ** 20, entryBytes: 1_536 };

/** More than there are requests in flight at once. */
const MAX_CACHED_RESERVATIONS = 10_000;

/**
 * The balances as this process last read or changed them, and the reservations that it made. Other processes may have
 * changed them since, so the preconditions of decisions made on them must be checked in the database.
 */
class BalanceCache implements LedgerState {
  readonly #leaseId: string;
  readonly #balances = new BoundedCache<string, Balance>(BALANCES);
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
