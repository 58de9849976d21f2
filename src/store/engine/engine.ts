import type { Kysely, Transaction } from 'kysely';
import type { RateLimiter } from '../../keys/rate-limit.js';
import type { Tables } from '../schema.js';

/** What one kind of database brings: the only place where kinds differ is this folder. */
export interface Engine {
  /** Runs single reads, also while a write transaction is open. It refuses writes and transactions. */
  readonly reader: Kysely<Tables>;
  readonly columnTypes: ColumnTypes;
  /**
   * Runs `work` in one write transaction, as if no other were running; nothing is kept when it throws. Where another
   * transaction or a lost connection undoes it before the commit, `work` is run again. Throws the Problem
   * `database_unavailable` when the database can't be had.
   */
  transact<T>(work: Work<T>): Promise<T>;
  /**
   * Runs `work` in a transaction of its own while no other process is in here, however long the others have to wait.
   * It sees what they have committed, and is never run again.
   */
  alone<T>(work: Work<T>): Promise<T>;
  /** Cheap to ask. Differs from the last answer whenever somebody else has moved a counter in between. */
  changeMark(): Promise<number>;
  /** Within a transaction that moves counters: wakes the `onMoved` of all processes as soon as it is committed. */
  signalMoved(tx: Transaction<Tables>): Promise<void>;
  /**
   * Calls `listener` soon after somebody's signal, and whenever signals may have been missed. Engines that have no
   * signals never call it: then `changeMark` has to be asked.
   */
  onMoved(listener: () => void): void;
  /** Counts administrative calls, `perMinute` of each principal, for all processes that use this kind of database. */
  rateLimiter(perMinute: number): RateLimiter;
  /** What is wrong with the stored bytes themselves: damaged pages and indexes, missing values, references to nothing. */
  faults(): Promise<string[]>;
  /** Waits for the write transactions that are running and lets go of the database. */
  close(): Promise<void>;
}

/** What runs in a transaction: it asks the database and decides, and has no other effect. */
export type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

/** What databases spell differently in a schema. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
  /** What a table is called whose rows may be lost in a crash. */
  readonly kindOfForgettable: '' | 'unlogged';
}
