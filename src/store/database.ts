import type { Kysely, Transaction } from 'kysely';
import type { RevisionScope, Tables } from './schema.js';

/** An open database. The only code that knows which engine stands behind it is in this folder. */
export interface Database {
  /** For reads. */
  readonly query: Kysely<Tables>;
  /**
   * Runs `work` in one write transaction and moves the counters of `scopes` with it, which are looked at when the work
   * is done: it may still have added some. Nothing is kept when it throws. Writers follow each other (SQLite: BEGIN
   * IMMEDIATE). After the commit, this process's listeners hear of the scopes before the promise resolves. Never call
   * it within `work`: it would wait for the transaction that it is in, for ever.
   */
  transact<T>(scopes: Iterable<RevisionScope>, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` after every committed change of `scope`: at once for this process's own, within a second for
   * another process's. Returns what ends the subscription.
   */
  onChange(scope: RevisionScope, listener: () => void): () => void;
  /** What the engine itself finds wrong with its files; takes as long as reading all of them. Empty when sound. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}
