import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { RateLimiter } from '../../identity/rate-limit.js';
import type { Tables } from '../schema.js';

/** How long a report is waited for: who asked has given up by then. A sum over a million requests takes some seconds. */
export const REPORT_TIMEOUT_MS = 30_000;

/** What one kind of database brings: the only place where kinds differ is this folder. */
export interface Engine {
  /** Runs single reads, also while a write transaction is open. It refuses writes and transactions. */
  readonly reader: Kysely<Tables>;
  /**
   * Runs single reads that may take long, pages of administrative records: a `reader` that nothing waits behind but its
   * own kind. Throws the Problem `database_unavailable` also where too many wait and where one takes too long.
   */
  readonly lists: Kysely<Tables>;
  /** As `lists`, for lists and sums of what grows with every request: they may take seconds, and no `lists` wait for them. */
  readonly reports: Kysely<Tables>;
  readonly columnTypes: ColumnTypes;
  /**
   * Runs `work` in one write transaction, as if no other were running; nothing is kept when it throws. Where another
   * transaction or a lost connection undoes it before the commit, `work` is run again. Throws the Problem
   * `database_unavailable` when the database can't be had.
   */
  transact<T>(work: Work<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction while no other that names any of the same is in here, of whichever process.
   * It sees all that those before it have committed, and nothing is kept when it throws; what it asks at first and
   * what is written at its end cost no waiting of their own. It is run again, and throws, as in `transact`.
   */
  transactWithLocks<T>(names: readonly string[], work: LockedWork<T>): Promise<T>;
  /**
   * Writes what was decided without asking, as the end of a `transactOn` would, unless it is objected to: false, and
   * nothing is kept. It costs no waiting but one for its commit. Where nobody can tell whether that took place, it is
   * looked for, so that all is written once.
   */
  writeOptimistically(names: readonly string[], decided: OptimisticWrite): Promise<boolean>;
  /**
   * Runs `work` in a transaction of its own while no other process is in here, however long the others have to wait.
   * It sees what they have committed. It is run again, as in `transact`, only where it `mayRepeat`.
   */
  withExclusiveLock<T>(work: Work<T>, options?: { readonly mayRepeat: boolean }): Promise<T>;
  /** Cheap to ask. Differs from the last answer whenever somebody else has moved a counter in between. */
  changeMark(): Promise<number>;
  /** Within a transaction that moves counters: wakes the `onMoved` of all processes as soon as it is committed. */
  signalBump(tx: Transaction<Tables>): Promise<void>;
  /**
   * Calls `listener` soon after somebody's signal, and whenever signals may have been missed. Engines that have no
   * signals never call it: then `changeMark` has to be asked.
   */
  onBump(listener: () => void): void;
  /** The name of this handle in what it leaves open; no other and no later one has it. */
  readonly leaseId: string;
  /**
   * Those of the holders that are no more, as far as can be known by now; never one that is still there. Where a
   * holder can be told to be gone only after a while, it has to be asked again and again.
   */
  lostLeases(holders: readonly string[]): Promise<ReadonlySet<string>>;
  /** Counts administrative calls, `perMinute` of each principal, for all processes that use this kind of database. */
  rateLimiter(perMinute: number): RateLimiter;
  /** Throws the Problem `database_unavailable` when it can't be read, or not be written for want of a disk that takes it. */
  ping(): Promise<void>;
  /** Throws DatabaseUnusable when damage of the stored bytes can be seen at once. */
  refuseDamaged(): void;
  /** What is wrong with the stored bytes themselves: damaged pages and indexes, missing values, references to nothing. */
  integrityErrors(): Promise<string[]>;
  /** Waits for the write transactions that are running and lets go of the database. */
  close(): Promise<void>;
}

/** What runs in a transaction: it asks the database and decides, and has no other effect. */
export type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

/** What runs among those that name the same; it decides what is to be written, in that order, before the commit. */
export type LockedWork<T> = (db: Kysely<Tables>) => Promise<Decided<T>>;

/** What a decision gives, and what is to be written of it. */
export interface Decided<T> {
  readonly result: T;
  readonly writes: readonly CompiledQuery[];
}

/** What was decided on what was known before, and how to tell whether it still stands. */
export interface OptimisticWrite {
  /** Queries any row of which is an objection. */
  readonly unless: readonly CompiledQuery[];
  /** In that order. They fail where they are written a second time. */
  readonly writes: readonly CompiledQuery[];
  /** Queries that all find a row once the writes are committed, and never do where they are not. */
  proofs(): readonly CompiledQuery[];
}

/** What databases spell differently in a schema. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /** What a table is called whose rows may be lost in a crash. */
  readonly volatileTable: '' | 'unlogged';
}
