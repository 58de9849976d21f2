import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { RateLimiter } from '../../identity/rate-limit.js';
import type {
  ExclusiveAccess,
  LockedWork,
  OptimisticWrite,
  RecordPartitions,
  TableSize,
} from '../engine/engine.js';
import type { RevisionScope, Tables } from '../schema/schema.js';
import type { ChangeListener, RevisionChange } from './revisions.js';

/** The owner of the reads that the gateway makes for itself. */
export const NO_ACCOUNT = '';

/** An open database. Only the code in this folder knows which engine is behind it. */
export interface Database {
  /** For index look-ups, which stay short however large the tables are. On SQLite they block the event loop. */
  readonly query: Kysely<Tables>;
  /**
   * Reads an account's pages of administrative records. These reads wait only for each other, and for those of other
   * accounts in turns. A read sees everything committed before it was issued. Throws the Problem `rate_limited` when
   * too many reads of the account wait, `database_unavailable` also when one takes too long.
   */
  lists(accountId: string): Kysely<Tables>;
  /**
   * Like `lists`, for lists and sums over tables that grow with every request. May take seconds; `lists` do not wait
   * for it.
   */
  reports(accountId: string): Kysely<Tables>;
  /**
   * Runs `work` in one serializable write transaction and bumps the revisions of `changes` in it. `changes` is read
   * after `work`, which may add to it. Rolls back when `work` throws. Where transactions run concurrently (PostgreSQL), a
   * conflict rolls one back and runs its `work` again, so `work` must have no effect but on the database; the result of
   * the last run counts. Listeners of this process are called after the commit, before the promise resolves. Calling it
   * within `work` deadlocks. Throws the Problem `database_unavailable` when the database is not available; whether a
   * commit in flight then took effect is unknown.
   */
  transact<T>(changes: Iterable<RevisionChange>, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction that holds a lock for each of `names`, exclusive across all processes. It sees
   * everything that earlier holders of these locks have committed, but is not isolated from other transactions: rows
   * written here may only ever be written under the same locks. Bumps no revisions. The writes that `work` returns run
   * in order before the commit. Retries and errors are those of `transact`.
   */
  transactWithLocks<T>(names: readonly string[], work: LockedWork<T>): Promise<T>;
  /**
   * Writes what was decided from cached data, in one transaction as in `transactWithLocks`. Resolves to false, with
   * nothing written, when a precondition fails in the database. Writes once, also when the connection is lost before
   * the answer. Throws as `transact` does.
   */
  writeOptimistically(names: readonly string[], decided: OptimisticWrite): Promise<boolean>;
  /** Null where several processes may serve from the database. */
  readonly exclusive: ExclusiveAccess | null;
  /** Runs `work` once, under a lock that one process at a time can hold. */
  withExclusiveLock<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Calls `listener` after every committed change of `scope`: at once for a change of this process, within a second for
   * one of another process, and when changes could not be checked for too long. Returns a function that unsubscribes.
   */
  onChange(scope: RevisionScope, listener: ChangeListener): () => void;
  /**
   * Corrects a clock that differs by more than a minute from the database's, where that has one of its own: all
   * processes then agree on the day, whatever their machines say.
   */
  corrected(clock: Clock): Clock;
  /** Unique to this handle, for ever; stored with the reservations that it leaves open. */
  readonly leaseId: string;
  /** Which of these leases are known to be lost. It may take seconds and repeated calls until a lost one is known. */
  lostLeases(leaseIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Limits administrative calls, across all processes where the engine supports several. */
  rateLimiter(perMinute: number): RateLimiter;
  /**
   * Throws the Problem `database_unavailable` unless a write would be taken now, as a chat needs it to be admitted and
   * settled. A write of the last second is proof enough; without one, PostgreSQL is sent a small one. On SQLite
   * nothing is written unless the last write was refused, or the disk is all but full.
   */
  ping(): Promise<void>;
  /** Null where the table of records has no partitions. */
  readonly recordPartitions: RecordPartitions | null;
  /**
   * Gives a piece of the room that deleted rows have left back to the file system; false when there is no more to be
   * given back.
   */
  releaseFreeSpace(): Promise<boolean>;
  /** What the engine finds wrong with its files; reads all of them. Empty when they are sound. */
  integrityErrors(): Promise<string[]>;
  /** What each table takes on disk; it takes long where there are many rows. */
  tableSizes(): Promise<TableSize[]>;
  close(): Promise<void>;
}
