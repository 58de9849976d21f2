import type { Kysely, Transaction } from 'kysely';
import type { RateLimiter } from '../identity/rate-limit.js';
import type { LockedWork, OptimisticWrite } from './engine/engine.js';
import type { RevisionScope, Tables } from './schema.js';

/** An open database. The only code that knows which engine stands behind it is in this folder. */
export interface Database {
  /** For reads that are short however much there is: look-ups by an index. They may hold the event loop (SQLite). */
  readonly query: Kysely<Tables>;
  /**
   * For pages of administrative records, which hold up nothing but each other. They see all that was committed before
   * they were asked. Throws the Problem `database_unavailable` also where too many wait and where one takes too long.
   */
  readonly lists: Kysely<Tables>;
  /** As `lists`, for lists and sums of what grows with every request; they may take seconds, and no `lists` wait for them. */
  readonly reports: Kysely<Tables>;
  /**
   * Runs `work` in one write transaction and moves the counters of `scopes` with it, which are looked at when the work
   * is done: it may still have added some. Nothing is kept when it throws. The outcome is as if the transactions of
   * all processes followed each other: what `work` reads, nobody changes before it ends. Where the engine has them run
   * at once (PostgreSQL), one that would break this is undone and its `work` run again: it must do nothing but ask the
   * database and decide, and only what its last run returned counts. After the commit, this process's listeners hear
   * of the scopes before the promise resolves. Never call it within `work`: it would wait for the transaction that it
   * is in. Throws the Problem `database_unavailable`, as `query` does, when the database can't be had; whether a commit
   * that was under way then took place is not known.
   */
  transact<T>(scopes: Iterable<RevisionScope>, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one write transaction that has what it names to itself: no other of any process that names any of
   * the same runs meanwhile, and it sees all that those before it have committed. Others it may see come and go, so
   * whatever is written here must belong to what is named, everywhere. It moves no counters. What it decides to write
   * is written, in that order, before the commit. It is run again, and throws, as in `transact`.
   */
  transactWithLocks<T>(names: readonly string[], work: LockedWork<T>): Promise<T>;
  /**
   * Writes what was decided without asking, in one transaction as `transactOn` has them, unless the database then
   * objects: false, and nothing is kept. Takes place once, also where the connection is lost before it is answered;
   * throws as `transact` does.
   */
  writeOptimistically(names: readonly string[], decided: OptimisticWrite): Promise<boolean>;
  /** Runs `work`, once, while no other process is in here. */
  withExclusiveLock<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Calls `listener` after every committed change of `scope`: at once for this process's own, within a second for
   * another process's, and when for too long nobody could tell whether there was any. Returns what ends the subscription.
   */
  onChange(scope: RevisionScope, listener: () => void): () => void;
  /** The name of this handle in what it leaves open; no other and no later one has it. */
  readonly leaseId: string;
  /** Those of the holders that are known to be no more; it may take seconds and further asking until they are. */
  lostLeases(holders: readonly string[]): Promise<ReadonlySet<string>>;
  /** Counts administrative calls for all processes together that the kind of database is made for. */
  rateLimiter(perMinute: number): RateLimiter;
  /**
   * Throws the Problem `database_unavailable` when requests could not be served from it now. On SQLite it writes, unless
   * somebody does so anyway: a full disk can be read.
   */
  ping(): Promise<void>;
  /** What the engine itself finds wrong with its files; takes as long as reading all of them. Empty when sound. */
  integrityErrors(): Promise<string[]>;
  close(): Promise<void>;
}
