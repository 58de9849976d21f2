import type { Kysely } from 'kysely';
import type { Tables } from '../schema.js';

/** What one kind of database brings: the only place where kinds differ is this folder. */
export interface Engine {
  /** Runs single reads, also while a write transaction is open. It refuses writes and transactions. */
  readonly reader: Kysely<Tables>;
  /** Runs write transactions, one after the other; outside of a transaction nothing is to be asked of it. */
  readonly writer: Kysely<Tables>;
  readonly columnTypes: ColumnTypes;
  /** Cheap to ask. Differs from the last answer whenever somebody else committed something in between. */
  changeMark(): Promise<number>;
  /** What is wrong with the stored bytes themselves: damaged pages and indexes, missing values, references to nothing. */
  faults(): Promise<string[]>;
  /** Waits for the write transaction that is running and lets go of the database. */
  close(): Promise<void>;
}

/** Column types that databases spell differently. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}
