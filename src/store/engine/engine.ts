import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { RateLimiter } from '../../identity/rate-limit.js';
import type { Tables } from '../schema/schema.js';

/** A sum over a million requests takes some seconds; a caller has given up by this time. */
export const REPORT_TIMEOUT_MS = 30_000;

/** Reads that accounts share. */
export interface ReadsByAccount {
  of(accountId: string): Kysely<Tables>;
}

/** What an engine must provide; engines differ in this folder only. */
export interface Engine {
  /** Runs single reads, also while a write transaction is open. Rejects writes and transactions. */
  readonly reader: Kysely<Tables>;
  /** Runs single reads of an account that may take long: pages of administrative records. They wait only for each other. */
  readonly lists: ReadsByAccount;
  /**
   * Like `lists`, for lists and sums over tables that grow with every request. May take seconds; `lists` do not wait
   * for it.
   */
  readonly reports: ReadsByAccount;
  readonly columnTypes: ColumnTypes;
  /**
   * Runs `work` in one serializable write transaction, which is rolled back when it throws. When a conflict or a lost
   * connection rolls it back before the commit, `work` runs again. Throws the Problem `database_unavailable` when the
   * database is not available.
   */
  transact<T>(work: Work<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction that holds a lock for each of `names`, exclusive across all processes. It sees
   * everything that earlier holders of these locks have committed. Its first queries and its final writes take no round
   * trip of their own. Retries and errors are those of `transact`.
   */
  transactWithLocks<T>(names: readonly string[], work: LockedWork<T>): Promise<T>;
  /**
   * Writes what was decided from cached data under the locks of `names`, in one round trip. Resolves to false, with
   * nothing written, when a precondition fails. When the answer to the commit is lost, it looks for the written rows,
   * so that everything is written once.
   */
  writeOptimistically(names: readonly string[], decided: OptimisticWrite): Promise<boolean>;
  /** Null where several processes may serve from the database. */
  readonly exclusive: ExclusiveAccess | null;
  /**
   * Runs `work` in a transaction under a lock that one process at a time can hold; the others wait without a timeout.
   * It sees what they have committed. Retried, as in `transact`, only if it `mayRepeat`.
   */
  withExclusiveLock<T>(work: Work<T>, options?: { readonly mayRepeat: boolean }): Promise<T>;
  /**
   * Corrects a clock that differs by more than a minute from the database's, where that has one of its own: all
   * processes then agree on the day, whatever their machines say.
   */
  corrected(clock: Clock): Clock;
  /** Cheap. Differs from the previous result whenever another process has bumped a revision in between. */
  dataVersion(): Promise<number>;
  /**
   * Within a transaction that bumps revisions: calls the `onBump` listeners of all processes with this text once it is
   * committed.
   */
  signalBump(tx: Transaction<Tables>, signal: string): Promise<void>;
  /**
   * Calls `listener` soon after a signal, and with an empty text whenever signals may have been missed. Engines without signals never call
   * it; with them `changeMark` must be polled.
   */
  onBump(listener: (signal: string) => void): void;
  /** Unique to this handle, for ever; stored with the reservations that it leaves open. */
  readonly leaseId: string;
  /**
   * Which of these leases are known to be lost; never one that is still held. Some engines know only after repeated
   * calls over a while.
   */
  lostLeases(leaseIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Limits administrative calls to `perMinute` for each principal, across all processes where there may be several. */
  rateLimiter(perMinute: number): RateLimiter;
  /** Throws the Problem `database_unavailable` unless a write would be taken now. */
  ping(): Promise<void>;
  /** Null where the table of records has no partitions. */
  readonly recordPartitions: RecordPartitions | null;
  /**
   * Gives some of the room that deleted rows have left back to the file system, which takes some milliseconds. Returns
   * false when no more is left than new rows will soon take, or when the engine does this by itself.
   */
  releaseFreeSpace(): Promise<boolean>;
  /** Throws DatabaseUnusable when a quick check finds damage of the stored bytes. */
  refuseDamaged(): void;
  /** Damaged pages and indexes, missing values, dangling references; one line each. */
  integrityErrors(): Promise<string[]>;
  /** Counts all rows and reads all pages, so it takes long with many. */
  tableSizes(): Promise<TableSize[]>;
  /** Waits for running write transactions, then releases the database. */
  close(): Promise<void>;
}

/** The partitions of the table `generation`: one for each month, and others for what belongs to none. */
export interface RecordPartitions {
  /**
   * Makes the table partitioned unless it is, and the partitions of this month and the next ones that are missing. May
   * run while the gateway serves; does nothing while another process does it.
   */
  prepare(now: number, signal: AbortSignal): Promise<void>;
  /** As `prepare`, at once, but only while there are no records. */
  prepareNew(now: number): Promise<void>;
  /** The tables whose old rows are deleted in pieces, since they are of no month. */
  tablesInPieces(): Promise<readonly string[]>;
  /** Drops the partitions whose records are all from before; resolves to how many these were, about. */
  dropBefore(before: number, signal: AbortSignal): Promise<number>;
}

/** A table on disk with its partitions; `bytes` with its indexes. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * What only an engine can offer from whose database one process serves: the ledger in that process's memory. All of it
 * happens in one turn of the event loop.
 */
export interface ExclusiveAccess {
  /**
   * Takes the instance lock for this handle, until it is closed, unless it has it already. Throws DatabaseUnusable when
   * another one has it.
   */
  claim(): void;
  readonly isClaimed: boolean;
  /** As `Engine.changeMark`. */
  dataVersion(): number;
  /** A query for `OptimisticWrite.unless`, which finds a row if the version differs. */
  changedSince(version: number): CompiledQuery;
  /** Reads what is committed. */
  rows<R>(query: CompiledQuery<R>): readonly R[];
}

/** Runs in a transaction that may be retried, so it must have no other effect. */
export type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

/** Decides under locks; may be retried as `Work` is. */
export type LockedWork<T> = (db: Kysely<Tables>) => Promise<Decided<T>>;

/** A result and the writes, in order, that run before the commit. */
export interface Decided<T> {
  readonly result: T;
  readonly writes: readonly CompiledQuery[];
}

/** Writes that were decided from cached data, and the check whether the decision still holds. */
export interface OptimisticWrite {
  /** Queries that find a row when a precondition fails. */
  readonly unless: readonly CompiledQuery[];
  /** In order. They must fail when run a second time. */
  readonly writes: readonly CompiledQuery[];
  /** Queries that each find a row if, and only if, the writes are committed. */
  proofs(): readonly CompiledQuery[];
  /** Called once when the writes are committed; with `ExclusiveAccess` in the same turn of the event loop. */
  onCommit(): void;
}

/** What engines spell differently in a schema. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /** Modifier of a table whose rows may be lost in a crash. */
  readonly volatileTable: '' | 'unlogged';
  /** Ending of a table that is kept in the order of its primary key, where the engine can. */
  readonly clusteredTable: '' | 'without rowid';
  /** Statements that leave room in a table for a new state of every row, where the engine keeps the old one beside it. */
  leaveRoom(table: string): readonly string[];
  rowTrigger(trigger: RowTrigger): { readonly create: readonly string[]; readonly drop: string };
}

/**
 * Runs `statements`, which see the row as `new` and what it was before an update as `old`, after the insert or update of
 * each row for which `when` holds.
 */
export interface RowTrigger {
  readonly name: string;
  readonly table: string;
  readonly event: 'insert' | 'update';
  readonly when: string;
  readonly statements: readonly string[];
}
